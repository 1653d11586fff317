//===- ScalarExpr.cpp - One element of a tensor as an expression ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/ScalarExpr.h"

#include "compiler/graph/Match.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace dragoman;
using namespace mlir;
using xf::DimAnalysis;

std::string MaskAtom::key() const {
  if (!element)
    return difference.str() + " <= 0";
  std::string text =
      left.str() + " < element " +
      std::to_string(reinterpret_cast<uintptr_t>(element.getAsOpaquePointer()));
  for (const DimExpr &expr : elementIndex)
    text += "," + expr.str();
  return text;
}

static ScalarRef number(double value) {
  auto expr = std::make_shared<ScalarExpr>();
  expr->kind = ScalarExpr::Number;
  expr->number = value;
  return expr;
}

static ScalarRef integer(DimExpr value) {
  if (std::optional<int64_t> constant = value.constant())
    return number(static_cast<double>(*constant));
  auto expr = std::make_shared<ScalarExpr>();
  expr->kind = ScalarExpr::Integer;
  expr->integer = std::move(value);
  return expr;
}

static ScalarRef unknown() { return std::make_shared<ScalarExpr>(); }

/// The node as an integer expression, if it is one.
static std::optional<DimExpr> asInteger(const ScalarRef &expr) {
  if (expr->kind == ScalarExpr::Integer)
    return expr->integer;
  if (expr->kind == ScalarExpr::Number &&
      expr->number == static_cast<double>(static_cast<int64_t>(expr->number)))
    return DimExpr(static_cast<int64_t>(expr->number));
  return std::nullopt;
}

static ScalarRef atomOf(MaskAtom atom, bool negated) {
  auto expr = std::make_shared<ScalarExpr>();
  expr->kind = ScalarExpr::Atom;
  expr->atom = std::move(atom);
  expr->negated = negated;
  return expr;
}

/// left <= right as an atom or a constant.
static ScalarRef lessEqual(const DimExpr &left, const DimExpr &right,
                           bool negated) {
  MaskAtom atom;
  atom.difference = left - right;
  if (std::optional<int64_t> constant = atom.difference.constant())
    return number((*constant <= 0) != negated);
  return atomOf(std::move(atom), negated);
}

/// left < element (strict), possibly negated.
static ScalarRef belowElement(const DimExpr &left, const ScalarRef &element,
                              bool negated) {
  MaskAtom atom;
  atom.left = left;
  atom.element = element->tensor;
  atom.elementIndex = element->index;
  return atomOf(std::move(atom), negated);
}

/// An integer comparison; unknown if it is none of <, <=, >, >=.
static ScalarRef compare(arith::CmpIPredicate predicate, const ScalarRef &a,
                         const ScalarRef &b) {
  using P = arith::CmpIPredicate;
  if (predicate == P::sgt || predicate == P::ugt)
    return compare(P::slt, b, a);
  if (predicate == P::sge || predicate == P::uge)
    return compare(P::sle, b, a);
  bool strict = predicate == P::slt || predicate == P::ult;
  if (!strict && predicate != P::sle && predicate != P::ule)
    return unknown();
  std::optional<DimExpr> left = asInteger(a), right = asInteger(b);
  if (left && right)
    return lessEqual(strict ? *left + DimExpr(1) : *left, *right, false);
  if (left && b->kind == ScalarExpr::Element)
    return belowElement(strict ? *left : *left - DimExpr(1), b, false);
  if (right && a->kind == ScalarExpr::Element)
    // a < r is not (r <= a); a <= r is not (r < a).
    return belowElement(strict ? *right - DimExpr(1) : *right, a, true);
  return unknown();
}

namespace {
/// Evaluates the body of one generic at symbolic loop indices.
class BodyReader {
public:
  BodyReader(linalg::LinalgOp generic, std::vector<DimExpr> loops,
             DimAnalysis &dims)
      : generic(generic), loops(std::move(loops)), dims(dims) {}

  ScalarRef read(Value scalar) {
    if (auto found = cache.find(scalar); found != cache.end())
      return found->second;
    ScalarRef expr = compute(scalar);
    cache[scalar] = expr;
    return expr;
  }

private:
  ScalarRef argument(BlockArgument value) {
    OpOperand &operand = generic->getOpOperand(value.getArgNumber());
    if (!llvm::isa<RankedTensorType>(operand.get().getType())) {
      std::optional<double> constant = constantValue(operand.get());
      return constant ? number(*constant) : unknown();
    }
    std::vector<DimExpr> index;
    for (AffineExpr result :
         generic.getMatchingIndexingMap(&operand).getResults()) {
      if (auto dim = llvm::dyn_cast<AffineDimExpr>(result))
        index.push_back(loops[dim.getPosition()]);
      else if (auto constant = llvm::dyn_cast<AffineConstantExpr>(result))
        index.push_back(DimExpr(constant.getValue()));
      else
        return unknown();
    }
    return elementAt(operand.get(), std::move(index), dims);
  }

  ScalarRef compute(Value scalar) {
    if (auto value = llvm::dyn_cast<BlockArgument>(scalar))
      return value.getOwner() == generic.getBlock() ? argument(value)
                                                    : unknown();
    if (std::optional<double> constant = constantValue(scalar))
      return number(*constant);
    Operation *op = scalar.getDefiningOp();
    if (op->getBlock() != generic.getBlock()) {
      std::optional<DimExpr> value = dims.scalar(scalar);
      return value ? integer(*value) : unknown();
    }
    if (auto index = llvm::dyn_cast<linalg::IndexOp>(op))
      return integer(loops[index.getDim()]);
    std::vector<ScalarRef> operands;
    for (Value operand : op->getOperands())
      operands.push_back(read(operand));
    if (auto cmp = llvm::dyn_cast<arith::CmpIOp>(op))
      if (ScalarRef atom =
              compare(cmp.getPredicate(), operands[0], operands[1]);
          atom->kind != ScalarExpr::Unknown)
        return atom;
    if (ScalarRef folded = foldInteger(op, operands))
      return folded;
    auto expr = std::make_shared<ScalarExpr>();
    expr->kind = ScalarExpr::Compute;
    expr->op = op;
    expr->operands = std::move(operands);
    return expr;
  }

  /// Integer arithmetic and casts on integers of indices; null otherwise.
  static ScalarRef foldInteger(Operation *op,
                               const std::vector<ScalarRef> &operands) {
    if (llvm::isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                  arith::ExtUIOp, arith::TruncIOp>(op))
      return operands[0]->kind == ScalarExpr::Integer ||
                     operands[0]->kind == ScalarExpr::Element ||
                     operands[0]->kind == ScalarExpr::Number
                 ? operands[0]
                 : nullptr;
    if (operands.size() != 2)
      return nullptr;
    std::optional<DimExpr> a = asInteger(operands[0]),
                           b = asInteger(operands[1]);
    if (!a || !b)
      return nullptr;
    return llvm::TypeSwitch<Operation *, ScalarRef>(op)
        .Case([&](arith::AddIOp) { return integer(*a + *b); })
        .Case([&](arith::SubIOp) { return integer(*a - *b); })
        .Case([&](arith::MulIOp) { return integer(*a * *b); })
        .Default([](Operation *) { return nullptr; });
  }

  linalg::LinalgOp generic;
  std::vector<DimExpr> loops;
  DimAnalysis &dims;
  llvm::DenseMap<Value, ScalarRef> cache;
};
} // namespace

/// The index of an expand_shape's source: each group's linear index.
static std::vector<DimExpr> collapseIndex(ArrayRef<ReassociationIndices> groups,
                                          Value expanded,
                                          ArrayRef<DimExpr> index,
                                          DimAnalysis &dims) {
  std::vector<DimExpr> result;
  for (const ReassociationIndices &group : groups) {
    DimExpr linear(0);
    for (int64_t axis : group)
      linear = linear * dims.dimOf(expanded, axis) + index[axis];
    result.push_back(linear);
  }
  return result;
}

/// The index of a collapse_shape's source, if at most one axis of each group is
/// not 1.
static std::optional<std::vector<DimExpr>>
expandIndex(tensor::CollapseShapeOp collapse, ArrayRef<DimExpr> index) {
  std::vector<DimExpr> result(collapse.getSrcType().getRank(), DimExpr(0));
  for (auto [axis, group] :
       llvm::enumerate(collapse.getReassociationIndices())) {
    int64_t wide = -1;
    for (int64_t source : group) {
      if (collapse.getSrcType().getDimSize(source) == 1)
        continue;
      if (wide >= 0)
        return std::nullopt;
      wide = source;
    }
    if (wide >= 0)
      result[wide] = index[axis];
  }
  return result;
}

/// select(index < size of the first part, ...) over the parts of a concat.
static ScalarRef concatAt(tensor::ConcatOp concat, std::vector<DimExpr> index,
                          DimAnalysis &dims) {
  uint64_t axis = concat.getDim();
  if (concat.getInputs().size() != 2)
    return unknown();
  DimExpr first = dims.dimOf(concat.getInputs()[0], axis);
  ScalarRef inside =
      lessEqual(index[axis] + DimExpr(1), first, /*negated=*/false);
  ScalarRef a = elementAt(concat.getInputs()[0], index, dims);
  index[axis] = index[axis] - first;
  ScalarRef b = elementAt(concat.getInputs()[1], index, dims);
  auto expr = std::make_shared<ScalarExpr>();
  expr->kind = ScalarExpr::Compute; // without op: a choice
  expr->operands = {inside, a, b};
  return expr;
}

ScalarRef dragoman::elementAt(Value tensor, std::vector<DimExpr> index,
                              DimAnalysis &dims) {
  if (std::optional<double> constant = constantValue(tensor))
    return number(*constant);
  Operation *op = tensor.getDefiningOp();
  auto leaf = [&] {
    auto expr = std::make_shared<ScalarExpr>();
    expr->kind = ScalarExpr::Element;
    expr->tensor = tensor;
    expr->index = index;
    return expr;
  };
  if (!op)
    return leaf();
  return llvm::TypeSwitch<Operation *, ScalarRef>(op)
      .Case([&](linalg::FillOp fill) -> ScalarRef {
        std::optional<double> constant = constantValue(fill.getInputs()[0]);
        return constant ? number(*constant) : unknown();
      })
      .Case([&](tensor::SplatOp splat) -> ScalarRef {
        std::optional<double> constant = constantValue(splat.getInput());
        return constant ? number(*constant) : unknown();
      })
      .Case([&](linalg::LinalgOp generic) -> ScalarRef {
        if (generic.getNumReductionLoops() != 0 ||
            generic->getNumResults() != 1 ||
            !generic.getIndexingMapsArray().back().isIdentity())
          return leaf();
        BodyReader reader(generic, index, dims);
        return reader.read(generic.getBlock()->getTerminator()->getOperand(0));
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return elementAt(expand.getSrc(),
                         collapseIndex(expand.getReassociationIndices(), tensor,
                                       index, dims),
                         dims);
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> ScalarRef {
        auto source = expandIndex(collapse, index);
        return source ? elementAt(collapse.getSrc(), *source, dims) : leaf();
      })
      .Case([&](tensor::CastOp cast) {
        return elementAt(cast.getSource(), index, dims);
      })
      .Case([&](tensor::ConcatOp concat) {
        return concatAt(concat, index, dims);
      })
      .Default([&](Operation *) { return leaf(); });
}

void dragoman::collectAtoms(const ScalarRef &expr,
                            std::map<std::string, MaskAtom> &atoms) {
  if (expr->kind == ScalarExpr::Atom)
    atoms[expr->atom.key()] = expr->atom;
  for (const ScalarRef &operand : expr->operands)
    collectAtoms(operand, atoms);
}

/// One scalar op on numbers; booleans are 0 and 1.
static std::optional<double> apply(Operation *op, ArrayRef<double> in) {
  using namespace mlir::arith;
  auto truth = [](double value) { return value != 0; };
  return llvm::TypeSwitch<Operation *, std::optional<double>>(op)
      .Case<AddFOp, AddIOp>([&](auto) { return in[0] + in[1]; })
      .Case<SubFOp, SubIOp>([&](auto) { return in[0] - in[1]; })
      .Case<MulFOp, MulIOp>([&](auto) { return in[0] * in[1]; })
      .Case([&](NegFOp) { return -in[0]; })
      .Case<SIToFPOp, UIToFPOp, FPToSIOp, FPToUIOp, ExtFOp, TruncFOp, ExtUIOp,
            IndexCastOp>([&](auto) { return in[0]; })
      .Case([&](AndIOp) { return truth(in[0]) && truth(in[1]); })
      .Case([&](OrIOp) { return truth(in[0]) || truth(in[1]); })
      .Case([&](XOrIOp) { return truth(in[0]) != truth(in[1]); })
      .Case([&](SelectOp) { return truth(in[0]) ? in[1] : in[2]; })
      .Case([&](CmpIOp cmp) -> std::optional<double> {
        if (cmp.getPredicate() == CmpIPredicate::eq)
          return in[0] == in[1];
        if (cmp.getPredicate() == CmpIPredicate::ne)
          return in[0] != in[1];
        return std::nullopt;
      })
      .Case([&](CmpFOp cmp) -> std::optional<double> {
        switch (cmp.getPredicate()) {
        case CmpFPredicate::OEQ:
        case CmpFPredicate::UEQ:
          return in[0] == in[1];
        case CmpFPredicate::ONE:
        case CmpFPredicate::UNE:
          return in[0] != in[1];
        case CmpFPredicate::OGT:
          return in[0] > in[1];
        case CmpFPredicate::OLT:
          return in[0] < in[1];
        default:
          return std::nullopt;
        }
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<double>
dragoman::evaluateUnder(const ScalarRef &expr,
                        const std::map<std::string, bool> &truth) {
  switch (expr->kind) {
  case ScalarExpr::Number:
    return expr->number;
  case ScalarExpr::Atom: {
    auto found = truth.find(expr->atom.key());
    if (found == truth.end())
      return std::nullopt;
    return found->second != expr->negated;
  }
  case ScalarExpr::Compute:
    break;
  default:
    return std::nullopt;
  }
  // Only the chosen side of a choice has to be known.
  bool choice = !expr->op || llvm::isa<arith::SelectOp>(expr->op);
  if (choice) {
    std::optional<double> condition = evaluateUnder(expr->operands[0], truth);
    if (!condition)
      return std::nullopt;
    return evaluateUnder(expr->operands[*condition != 0 ? 1 : 2], truth);
  }
  llvm::SmallVector<double> in;
  for (const ScalarRef &operand : expr->operands) {
    std::optional<double> value = evaluateUnder(operand, truth);
    if (!value)
      return std::nullopt;
    in.push_back(*value);
  }
  return apply(expr->op, in);
}
