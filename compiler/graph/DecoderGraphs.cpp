//===- DecoderGraphs.cpp - The two imported graphs of a decoder -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/DecoderGraphs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OperationSupport.h"

using namespace dragoman;
using namespace mlir;

std::optional<DecoderGraphs> DecoderGraphs::find(ModuleOp module) {
  DecoderGraphs graphs;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto role = function->getAttrOfType<StringAttr>("xf.role");
    if (role && role.getValue() == "first")
      graphs.first = function;
    if (role && role.getValue() == "past")
      graphs.past = function;
  }
  if (!graphs.first || !graphs.past)
    return std::nullopt;
  return graphs;
}

StringAttr DecoderGraphs::nameOf(func::FuncOp function,
                                 BlockArgument argument) const {
  return function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                               "xf.name");
}

StringAttr DecoderGraphs::cacheOfArgument(func::FuncOp function,
                                          unsigned index) const {
  return function.getArgAttrOfType<StringAttr>(index, "xf.cache");
}

BlockArgument DecoderGraphs::argument(func::FuncOp function,
                                      StringRef name) const {
  for (BlockArgument argument : function.getArguments())
    if (StringAttr own = nameOf(function, argument); own && own == name)
      return argument;
  return {};
}

/// The result whose attribute `key` is `text`.
static Value resultWith(func::FuncOp function, StringRef key, StringRef text) {
  auto back =
      llvm::cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto own = function.getResultAttrOfType<StringAttr>(i, key);
    if (own && own == text)
      return back.getOperand(i);
  }
  return {};
}

Value DecoderGraphs::result(func::FuncOp function, StringRef name) const {
  return resultWith(function, "xf.name", name);
}

Value DecoderGraphs::resultOfCache(func::FuncOp function,
                                   StringRef cache) const {
  return resultWith(function, "xf.cache", cache);
}

Value DecoderGraphs::appendedTo(Value value) const {
  auto concat = value.getDefiningOp<tensor::ConcatOp>();
  if (!concat || concat.getDim() != 2 || concat.getInputs().size() != 2)
    return {};
  return concat.getInputs()[1];
}

std::string DecoderGraphs::cacheBehind(Value value) const {
  if (appendedTo(value))
    value = value.getDefiningOp<tensor::ConcatOp>().getInputs()[0];
  auto argument = llvm::dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &past.getBody().front())
    return {};
  StringAttr cache = cacheOfArgument(past, argument.getArgNumber());
  return cache ? cache.str() : std::string();
}

LogicalResult DecoderGraphs::checkCaches() const {
  for (unsigned i = 0; i < past.getNumArguments(); ++i) {
    StringAttr cache = cacheOfArgument(past, i);
    if (!cache)
      continue;
    if (!resultOfCache(first, cache))
      return first.emitError("expected a result for cache ") << cache;
    if (!cache.getValue().starts_with("self_"))
      continue;
    Value out = resultOfCache(past, cache);
    if (!out || !appendedTo(out) || cacheBehind(out) != cache.str())
      return past.emitError("expected cache ")
             << cache << " to be returned as itself with new entries appended";
  }
  return success();
}

llvm::SetVector<Value> dragoman::usedValues(Operation *op) {
  llvm::SetVector<Value> values;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
        values.insert(operand);
  });
  return values;
}

namespace {

/// Compares values of the later graph (self caches empty) with values of the
/// first one.
class Comparison {
public:
  Comparison(const DecoderGraphs &graphs) : graphs(graphs) {}

  bool equal(Value later, Value first) {
    if (auto known = results.find({later, first}); known != results.end())
      return known->second;
    bool same = compute(later, first);
    results[{later, first}] = same;
    if (!same && !mismatch)
      mismatch = later;
    return same;
  }

  Value mismatch; ///< the innermost value that differs

private:
  bool compute(Value later, Value first) {
    if (later.getType().isIntOrIndex() && !later.getType().isInteger(1)) {
      auto a = laterScalar(later), b = firstDims.scalar(first);
      if (a && b)
        return *a == *b;
    }
    // An empty cache adds nothing.
    if (Value fresh = graphs.appendedTo(later);
        fresh && !graphs.cacheBehind(later).empty())
      return equal(fresh, first);
    if (auto argument = llvm::dyn_cast<BlockArgument>(later))
      if (argument.getOwner() == &pastBlock())
        return equalArguments(argument, first);
    // Neither does a past of length 0 to a position.
    if (auto add = later.getDefiningOp<arith::AddIOp>())
      for (auto [zero, other] : {std::pair(add.getLhs(), add.getRhs()),
                                 std::pair(add.getRhs(), add.getLhs())})
        if (auto value = laterScalar(zero); value && value->isConstant(0))
          return equal(other, first);
    Operation *a = later.getDefiningOp(), *b = first.getDefiningOp();
    if (!a || !b || a->getName() != b->getName())
      return false;
    if (llvm::isa<tensor::EmptyOp>(a))
      return sameShape(later, first);
    if (auto attention = llvm::dyn_cast<xf::AttentionOp>(a))
      return equalAttention(attention, llvm::cast<xf::AttentionOp>(b));
    return equalOps(a, b);
  }

  Block &pastBlock() { return graphs.past.getBody().front(); }

  bool equalArguments(BlockArgument argument, Value first) {
    std::string cache = graphs.cacheBehind(argument);
    if (!cache.empty())
      return cache[0] == 'c' &&
             first == graphs.resultOfCache(graphs.first, cache);
    auto other = llvm::dyn_cast<BlockArgument>(first);
    return other && other.getType() == argument.getType() &&
           graphs.nameOf(graphs.past, argument) ==
               graphs.nameOf(graphs.first, other);
  }

  /// A dimension expression of the later graph at a past of length 0.
  std::optional<DimExpr> laterScalar(Value value) {
    std::optional<DimExpr> expr = pastDims.scalar(value);
    if (!expr)
      return std::nullopt;
    return withoutPast(*expr);
  }
  static DimExpr withoutPast(const DimExpr &expr) {
    return expr.substitute(
        [](const std::string &name) -> std::optional<DimExpr> {
          return name == "P" ? std::optional(DimExpr(0)) : std::nullopt;
        });
  }

  bool sameShape(Value later, Value first) {
    if (later.getType() != first.getType())
      return false;
    auto rank = llvm::cast<RankedTensorType>(later.getType()).getRank();
    for (int64_t axis = 0; axis < rank; ++axis)
      if (withoutPast(pastDims.dimOf(later, axis)) !=
          firstDims.dimOf(first, axis))
        return false;
    return true;
  }

  /// An offset of 0 is no offset.
  bool isZeroOffset(Value offset) {
    if (!offset)
      return true;
    auto elements = offset.getDefiningOp<tensor::FromElementsOp>();
    if (!elements || elements.getElements().size() != 1)
      return false;
    auto value = laterScalar(elements.getElements()[0]);
    return value && value->isConstant(0);
  }

  bool equalAttention(xf::AttentionOp a, xf::AttentionOp b) {
    auto optional = [&](Value x, Value y) {
      return (!x && !y) || (x && y && equal(x, y));
    };
    return equal(a.getQ(), b.getQ()) && equalKeys(a, b, 1) &&
           equalKeys(a, b, 2) && optional(a.getBias(), b.getBias()) &&
           optional(a.getMask(), b.getMask()) &&
           optional(a.getKeyCount(), b.getKeyCount()) &&
           isZeroOffset(a.getOffset()) && !b.getOffset() && !a.getRows() &&
           !b.getRows() && a.getCausal() == b.getCausal() &&
           a.scaleOrDefault() == b.scaleOrDefault() &&
           a.getLeft() == b.getLeft() && a.getRight() == b.getRight() &&
           a.getSoftcap() == b.getSoftcap() &&
           a.getQLayout() == b.getQLayout() &&
           a.getOutLayout() == b.getOutLayout() && a.getScore().empty() &&
           b.getScore().empty();
  }

  /// Keys or values: layouts may differ where one side reads through a
  /// transpose of heads and length.
  bool equalKeys(xf::AttentionOp a, xf::AttentionOp b, unsigned operand) {
    auto layout = [&](xf::AttentionOp op) {
      return operand == 1 ? op.getKLayout() : op.getVLayout();
    };
    Value later = a->getOperand(operand), first = b->getOperand(operand);
    if (layout(a) == layout(b))
      return equal(later, first);
    // Look at both as [B,H,S,D].
    auto source = [&](Value value, StringRef own) -> Value {
      if (own == "bhtd")
        if (Value fresh = graphs.appendedTo(value);
            fresh && !graphs.cacheBehind(value).empty())
          value = fresh;
      if (own == "bhtd")
        if (std::string cache = graphs.cacheBehind(value); !cache.empty())
          return graphs.resultOfCache(graphs.first, cache);
      return value;
    };
    auto untransposed = [](Value value, StringRef own) -> Value {
      if (own == "bthd")
        return value;
      auto transpose = value.getDefiningOp<linalg::TransposeOp>();
      if (!transpose ||
          transpose.getPermutation() != ArrayRef<int64_t>{0, 2, 1, 3})
        return {};
      return transpose.getInput();
    };
    Value x = untransposed(source(later, layout(a)), layout(a));
    Value y = untransposed(first, layout(b));
    return x && y && (x == y || equal(x, y));
  }

  bool equalOps(Operation *a, Operation *b) {
    NamedAttrList left(a->getAttrDictionary()), right(b->getAttrDictionary());
    // Sites differ by node name only.
    left.erase("site");
    right.erase("site");
    if (left.getDictionary(a->getContext()) !=
            right.getDictionary(b->getContext()) ||
        a->getNumOperands() != b->getNumOperands() ||
        a->getNumRegions() != b->getNumRegions() ||
        a->getResultTypes() != b->getResultTypes())
      return false;
    for (auto [x, y] : llvm::zip(a->getOperands(), b->getOperands()))
      if (!equal(x, y))
        return false;
    for (auto [x, y] : llvm::zip(a->getRegions(), b->getRegions()))
      if (!equalRegions(x, y))
        return false;
    return true;
  }

  bool equalRegions(Region &a, Region &b) {
    if (a.empty() || b.empty())
      return a.empty() == b.empty();
    if (!a.hasOneBlock() || !b.hasOneBlock() ||
        a.front().getArgumentTypes() != b.front().getArgumentTypes())
      return false;
    for (auto [x, y] : llvm::zip(a.getArguments(), b.getArguments()))
      results[{x, y}] = true;
    // What the bodies yield decides; their ops are pure.
    Operation *x = a.front().getTerminator(), *y = b.front().getTerminator();
    if (x->getNumOperands() != y->getNumOperands())
      return false;
    for (auto [p, q] : llvm::zip(x->getOperands(), y->getOperands()))
      if (!equal(p, q))
        return false;
    return true;
  }

  const DecoderGraphs &graphs;
  xf::DimAnalysis pastDims, firstDims;
  llvm::DenseMap<std::pair<Value, Value>, bool> results;
};
} // namespace

LogicalResult DecoderGraphs::proveEqual() const {
  Comparison comparison(*this);
  SmallVector<std::pair<Value, Value>> pairs = {
      {result(past, "logits"), result(first, "logits")}};
  for (unsigned i = 0; i < past.getNumArguments(); ++i)
    if (StringAttr cache = cacheOfArgument(past, i);
        cache && cache.getValue().starts_with("self_"))
      pairs.emplace_back(resultOfCache(past, cache),
                         resultOfCache(first, cache));
  for (auto [later, one] : pairs) {
    if (!later || !one)
      return first.emitError("expected a result 'logits'");
    if (comparison.equal(later, one))
      continue;
    Value where = comparison.mismatch ? comparison.mismatch : later;
    return emitError(where.getLoc())
           << "the decoder with past differs from the decoder of the first "
              "step "
              "here; the two graphs are not of one model";
  }
  return success();
}
