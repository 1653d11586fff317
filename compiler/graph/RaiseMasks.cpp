//===- RaiseMasks.cpp - xf-raise-masks --------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/Passes.h"
#include "compiler/graph/ScalarExpr.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman {
#define GEN_PASS_DEF_XFRAISEMASKS
#include "compiler/graph/Passes.h.inc"
} // namespace dragoman

using namespace dragoman;
using namespace mlir;

/// Names of the score indices inside expressions; entries do not use them.
static const char *const rowName = "b_", *const headName = "h_",
                         *const queryName = "i_", *const keyName = "j_";

/// Scores below this hide a key: the exponential of the distance to any finite
/// score is zero in float32.
static constexpr double hiddenBelow = -1e4;

/// More atoms than this make a mask too complicated to be worth a table.
static constexpr size_t maxAtoms = 6;

/// True if `expr` >= 0 whenever indices and dimensions are.
static bool provablyPositive(const DimExpr &expr) {
  DimExpr below = DimExpr(1) - expr; // expr >= 1
  return DimExpr::max(below, DimExpr(0)).isConstant(0);
}

namespace {

/// What a row may see, as a conjunction.
struct Visibility {
  bool causal = false;
  DimExpr offset; ///< causal: j <= i + offset
  Value keyCount; ///< j < keyCount[b]
};

/// One truth value of one atom.
struct Literal {
  MaskAtom atom;
  bool holds;
};

/// True if `a` and `b` cannot both have these truth values.
static bool contradict(const Literal &a, const Literal &b) {
  if (a.atom.element || b.atom.element)
    return false;
  // holds: e <= 0; does not: 1 - e <= 0. Two of them contradict if their sum
  // is provably positive.
  auto bound = [](const Literal &literal) {
    return literal.holds ? literal.atom.difference
                         : DimExpr(1) - literal.atom.difference;
  };
  return provablyPositive(bound(a) + bound(b));
}

/// The table of a mask: which assignments show a key.
class MaskTable {
public:
  explicit MaskTable(const ScalarRef &expr) {
    std::map<std::string, MaskAtom> found;
    collectAtoms(expr, found);
    for (auto &[key, atom] : found)
      atoms.push_back(atom);
    readable = atoms.size() <= maxAtoms && fill(expr);
  }

  bool isReadable() const { return readable; }

  /// The atoms whose conjunction is the visibility, if it is one. Assignments
  /// that contradict themselves do not count.
  std::optional<llvm::SmallVector<Literal>> conjunction() const {
    llvm::SmallVector<Literal> needed;
    for (size_t i = 0; i < atoms.size(); ++i)
      for (bool holds : {false, true})
        // A literal is needed if its opposite never shows a key, but the atom
        // does vary.
        if (!shows(i, !holds) && varies(i))
          needed.push_back({atoms[i], holds});
    for (size_t row = 0; row < visible.size(); ++row) {
      if (!feasible[row])
        continue;
      bool all = llvm::all_of(needed, [&](const Literal &literal) {
        return truthOf(row, literal.atom) == literal.holds;
      });
      if (all != visible[row])
        return std::nullopt;
    }
    return needed;
  }

private:
  bool fill(const ScalarRef &expr) {
    for (size_t row = 0; row < (size_t(1) << atoms.size()); ++row) {
      std::map<std::string, bool> truth;
      llvm::SmallVector<Literal> literals;
      for (size_t i = 0; i < atoms.size(); ++i) {
        truth[atoms[i].key()] = (row >> i) & 1;
        literals.push_back({atoms[i], static_cast<bool>((row >> i) & 1)});
      }
      bool possible = true;
      for (size_t i = 0; i < literals.size(); ++i) {
        // An index is never negative, so neither is a lone atom against it.
        if (!literals[i].atom.element) {
          DimExpr bound = literals[i].holds
                              ? literals[i].atom.difference
                              : DimExpr(1) - literals[i].atom.difference;
          possible &= !provablyPositive(bound);
        }
        for (size_t j = 0; j < i; ++j)
          possible &= !contradict(literals[i], literals[j]);
      }
      feasible.push_back(possible);
      std::optional<double> value = evaluateUnder(expr, truth);
      if (possible && (!value || (*value != 0 && *value > hiddenBelow)))
        return false;
      visible.push_back(possible && *value == 0);
    }
    return true;
  }

  bool truthOf(size_t row, const MaskAtom &atom) const {
    for (size_t i = 0; i < atoms.size(); ++i)
      if (atoms[i].key() == atom.key())
        return (row >> i) & 1;
    return false;
  }
  bool shows(size_t index, bool holds) const {
    for (size_t row = 0; row < visible.size(); ++row)
      if (visible[row] && (((row >> index) & 1) != 0) == holds)
        return true;
    return false;
  }
  bool varies(size_t index) const {
    bool seen[2] = {false, false};
    for (size_t row = 0; row < visible.size(); ++row)
      if (feasible[row])
        seen[(row >> index) & 1] = true;
    return seen[0] && seen[1];
  }

  llvm::SmallVector<MaskAtom> atoms;
  std::vector<bool> visible, feasible;
  bool readable = false;
};

struct XfRaiseMasksPass : dragoman::impl::XfRaiseMasksBase<XfRaiseMasksPass> {
  void runOnOperation() override {
    llvm::SmallVector<xf::AttentionOp> attentions;
    getOperation().walk([&](xf::AttentionOp op) {
      if (op.getBias() && !op.getCausal())
        attentions.push_back(op);
    });
    for (xf::AttentionOp attention : attentions)
      if (std::optional<Visibility> visibility = read(attention))
        rewrite(attention, *visibility);
  }

private:
  std::optional<Visibility> read(xf::AttentionOp attention) {
    xf::DimAnalysis dims;
    auto type = llvm::cast<RankedTensorType>(attention.getBias().getType());
    std::vector<DimExpr> index;
    const char *names[] = {rowName, headName, queryName, keyName};
    for (auto [axis, name] : llvm::enumerate(names))
      index.push_back(type.getDimSize(axis) == 1 ? DimExpr(0)
                                                 : DimExpr::dim(name));
    MaskTable table(elementAt(attention.getBias(), index, dims));
    if (!table.isReadable())
      return std::nullopt;
    auto literals = table.conjunction();
    if (!literals)
      return std::nullopt;
    Visibility visibility;
    DimExpr keys = dims.dimOf(attention.getK(),
                              xf::AttentionOp::axes(attention.getKLayout())[2]);
    for (const Literal &literal : *literals)
      if (!add(literal, keys, visibility))
        return std::nullopt;
    if (visibility.keyCount && attention.getKeyCount())
      return std::nullopt;
    return visibility;
  }

  /// Adds one literal; false if it is not a predicate that attention has.
  static bool add(const Literal &literal, const DimExpr &keys,
                  Visibility &visibility) {
    const MaskAtom &atom = literal.atom;
    DimExpr row = DimExpr::dim(rowName), query = DimExpr::dim(queryName),
            key = DimExpr::dim(keyName);
    if (atom.element) {
      if (!literal.holds || atom.left != key || visibility.keyCount ||
          atom.elementIndex != std::vector<DimExpr>{row})
        return false;
      visibility.keyCount = atom.element;
      return true;
    }
    if (!literal.holds)
      return false;
    // j < number of keys always holds.
    if (atom.difference == key + DimExpr(1) - keys)
      return true;
    DimExpr offset = key - query - atom.difference;
    for (const std::string &name : offset.names())
      if (name == keyName || name == queryName || name == rowName ||
          name == headName)
        return false;
    if (visibility.causal)
      return visibility.offset == offset;
    visibility.causal = true;
    visibility.offset = offset;
    return true;
  }

  /// A scalar i64 tensor of a dimension expression, from the axes that have it.
  Value materialize(OpBuilder &builder, Location loc, const DimExpr &expr) {
    if (std::optional<int64_t> constant = expr.constant())
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(
              RankedTensorType::get({}, builder.getI64Type()),
              builder.getI64IntegerAttr(*constant).getValue()));
    for (BlockArgument argument : getOperation().getArguments()) {
      auto type = llvm::dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        continue;
      xf::DimAnalysis dims;
      for (int64_t axis = 0; axis < type.getRank(); ++axis) {
        if (dims.dimOf(argument, axis) != expr)
          continue;
        Value size = tensor::DimOp::create(builder, loc, argument, axis);
        Value wide = arith::IndexCastOp::create(builder, loc,
                                                builder.getI64Type(), size);
        return tensor::FromElementsOp::create(
            builder, loc, RankedTensorType::get({}, builder.getI64Type()),
            wide);
      }
    }
    return {};
  }

  void rewrite(xf::AttentionOp attention, const Visibility &visibility) {
    OpBuilder builder(attention);
    if (visibility.causal && !visibility.offset.isConstant(0)) {
      if (attention.getOffset())
        return;
      Value offset =
          materialize(builder, attention.getLoc(), visibility.offset);
      if (!offset)
        return;
      attention.getOffsetMutable().assign(offset);
    }
    attention.getBiasMutable().clear();
    attention.setCausal(visibility.causal);
    if (visibility.keyCount)
      attention.getKeyCountMutable().assign(visibility.keyCount);
  }
};
} // namespace
