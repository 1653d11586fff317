//===- RaiseAttention.cpp - xf-raise-attention ------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/Match.h"
#include "compiler/graph/Passes.h"
#include "dialects/xf/DimAnalysis.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman {
#define GEN_PASS_DEF_XFRAISEATTENTION
#include "compiler/graph/Passes.h.inc"
} // namespace dragoman

using namespace dragoman;
using mlir::Value;

static mlir::RankedTensorType typeOf(Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// The source of a transpose with this permutation, or null.
static Value matchTranspose(Value value, llvm::ArrayRef<int64_t> permutation) {
  auto transpose = value.getDefiningOp<mlir::linalg::TransposeOp>();
  if (!transpose || transpose.getPermutation() != permutation)
    return {};
  return transpose.getInput();
}

namespace {

/// A rank-4 operand of attention: the tensor, its layout, and the constant
/// factor that was multiplied into it.
struct Operand {
  Value tensor;
  llvm::StringRef layout = "bhtd";
  double factor = 1.0;
};

/// The parts of a recognised attention.
struct Parts {
  Operand q, k, v;
  Value bias;
  double scale = 1.0;
};

class Raiser {
public:
  explicit Raiser(mlir::func::FuncOp function) : function(function) {}

  void run() {
    llvm::SmallVector<xf::MatmulOp> products;
    function.walk([&](xf::MatmulOp product) { products.push_back(product); });
    for (xf::MatmulOp product : products)
      if (std::optional<Parts> parts = match(product))
        rewrite(product, *parts);
  }

private:
  /// [B*H, X, Y] or [B, H, X, Y] seen as rank 4; null if it is neither.
  Value unfoldHeads(Value value) {
    if (typeOf(value).getRank() == 4)
      return value;
    auto collapse = value.getDefiningOp<mlir::tensor::CollapseShapeOp>();
    if (typeOf(value).getRank() != 3 || !collapse ||
        collapse.getSrcType().getRank() != 4 ||
        collapse.getReassociationIndices()[0].size() != 2)
      return {};
    return collapse.getSrc();
  }

  /// Divides a constant factor out of elementwise products below reshapes and
  /// transposes, and absorbs a head transpose into the layout.
  Operand operandOf(Value value) {
    Operand operand;
    value = peelFactor(value, operand.factor);
    if (Value source = matchTranspose(value, {0, 2, 1, 3})) {
      operand.layout = "bthd";
      value = source;
    }
    operand.tensor = peelBelowExpand(value, operand.factor);
    return operand;
  }

  static Value peelFactor(Value value, double &factor) {
    while (auto scaled = matchWithConstant<mlir::arith::MulFOp>(value, true)) {
      if (scaled->first.getType() != value.getType())
        break;
      factor *= scaled->second;
      value = scaled->first;
    }
    return value;
  }

  /// value, or expand_shape of a product with a constant rebuilt on the factor
  /// alone.
  Value peelBelowExpand(Value value, double &factor) {
    value = peelFactor(value, factor);
    auto expand = value.getDefiningOp<mlir::tensor::ExpandShapeOp>();
    if (!expand)
      return value;
    Value inner = peelFactor(expand.getSrc(), factor);
    if (inner == expand.getSrc())
      return value;
    mlir::OpBuilder builder(expand);
    return mlir::tensor::ExpandShapeOp::create(
        builder, expand.getLoc(), expand.getResultType(), inner,
        expand.getReassociationIndices(), expand.getMixedOutputShape());
  }

  /// Splits scores into q.k^T and what is added to it.
  bool matchScores(Value scores, Parts &parts) {
    // Scores of rank 3 are the rank-4 sum with batch and heads folded.
    if (typeOf(scores).getRank() == 3)
      if (Value unfolded = unfoldHeads(scores))
        scores = unfolded;
    if (auto sum = matchBinary<mlir::arith::AddFOp>(scores)) {
      if (matchProduct(sum->first, parts))
        parts.bias = sum->second;
      else if (matchProduct(sum->second, parts))
        parts.bias = sum->first;
      return parts.bias && typeOf(parts.bias).getRank() == 4;
    }
    return matchProduct(scores, parts);
  }

  /// alpha * q.k^T, possibly scaled by a constant, possibly unfolded from rank
  /// 3 to 4.
  bool matchProduct(Value value, Parts &parts) {
    double factor = 1.0;
    value = peelFactor(value, factor);
    if (auto divided = matchWithConstant<mlir::arith::DivFOp>(value, false)) {
      factor /= divided->second;
      value = divided->first;
    }
    if (auto expand = value.getDefiningOp<mlir::tensor::ExpandShapeOp>();
        expand && expand.getSrcType().getRank() == 3 &&
        expand.getResultType().getRank() == 4)
      value = peelFactor(expand.getSrc(), factor);
    auto product = value.getDefiningOp<xf::MatmulOp>();
    if (!product || product.getTransposeA())
      return false;
    Value q = unfoldHeads(product.getA()), k = keysOf(product, parts.k);
    if (!q || !k)
      return false;
    parts.q = operandOf(q);
    parts.scale = factor * product.getAlpha().convertToDouble() *
                  parts.q.factor * parts.k.factor;
    return true;
  }

  /// The keys [B,H,S,D] behind the right operand of q.k^T.
  Value keysOf(xf::MatmulOp product, Operand &operand) {
    Value b = product.getB();
    Value keys;
    if (product.getTransposeB()) {
      keys = unfoldHeads(b);
    } else if (Value source = matchTranspose(b, {0, 2, 1})) {
      keys = unfoldHeads(source);
    } else if (Value source = matchTranspose(b, {0, 1, 3, 2})) {
      keys = source;
    } else if (Value source = matchTranspose(b, {0, 2, 3, 1})) {
      // [B,S,H,D] straight to [B,H,D,S].
      operand.tensor = peelBelowExpand(source, operand.factor);
      operand.layout = "bthd";
      return operand.tensor;
    }
    if (!keys)
      return {};
    operand = operandOf(keys);
    return operand.tensor;
  }

  std::optional<Parts> match(xf::MatmulOp product) {
    if (product.getTransposeA() || product.getTransposeB() ||
        !product.getAlpha().isExactlyValue(1.0))
      return std::nullopt;
    Value weights = product.getA();
    auto softmax = weights.getDefiningOp<xf::SoftmaxOp>();
    if (!softmax)
      if (auto collapse =
              weights.getDefiningOp<mlir::tensor::CollapseShapeOp>())
        softmax = collapse.getSrc().getDefiningOp<xf::SoftmaxOp>();
    if (!softmax || softmax.getMask() || softmax.getKeyCount())
      return std::nullopt;
    int64_t rank = typeOf(softmax.getX()).getRank(), axis = softmax.getAxis();
    if (axis != -1 && axis != rank - 1)
      return std::nullopt;
    Value values = unfoldHeads(product.getB());
    Parts parts;
    if (!values || !matchScores(softmax.getX(), parts))
      return std::nullopt;
    parts.v = operandOf(values);
    // A factor of v is one of the result: leave such a graph alone.
    if (parts.v.factor != 1.0 || !staticHeads(parts.q) || !staticHeads(parts.k))
      return std::nullopt;
    return parts;
  }

  static bool staticHeads(const Operand &operand) {
    std::array<unsigned, 4> axes = xf::AttentionOp::axes(operand.layout);
    return !typeOf(operand.tensor).isDynamicDim(axes[1]) &&
           !typeOf(operand.tensor).isDynamicDim(3);
  }

  /// The value [B,H,T,D] or its transpose [B,T,H,D] that the product feeds; the
  /// attention takes its place.
  void rewrite(xf::MatmulOp product, const Parts &parts) {
    Value result = product.getC();
    if (typeOf(result).getRank() == 3) {
      auto expand = result.hasOneUse()
                        ? llvm::dyn_cast<mlir::tensor::ExpandShapeOp>(
                              *result.user_begin())
                        : nullptr;
      if (!expand || expand.getResultType().getRank() != 4)
        return;
      result = expand.getResult();
    }
    llvm::StringRef layout = "bhtd";
    if (result.hasOneUse()) {
      auto transpose =
          llvm::dyn_cast<mlir::linalg::TransposeOp>(*result.user_begin());
      if (transpose &&
          transpose.getPermutation() == llvm::ArrayRef<int64_t>{0, 2, 1, 3}) {
        result = transpose->getResult(0);
        layout = "bthd";
      }
    }
    build(result, layout, parts);
  }

  void build(Value result, llvm::StringRef layout, const Parts &parts) {
    mlir::OpBuilder builder(result.getDefiningOp());
    mlir::Location loc = result.getLoc();
    mlir::RankedTensorType q = typeOf(parts.q.tensor);
    std::array<unsigned, 4> axes = xf::AttentionOp::axes(parts.q.layout);
    int64_t lseShape[3];
    for (unsigned axis = 0; axis < 3; ++axis)
      lseShape[axis] = q.getDimSize(axes[axis]);
    mlir::Type element = q.getElementType();
    auto lse = mlir::RankedTensorType::get(
        lseShape, element.isF64() ? element : builder.getF32Type());
    auto attention = xf::AttentionOp::create(
        builder, loc, result.getType(), lse, parts.q.tensor, parts.k.tensor,
        parts.v.tensor, parts.bias, /*mask=*/Value(), /*key_count=*/Value(),
        /*starts=*/Value(), /*offset=*/Value(), /*rows=*/Value(),
        /*seed=*/Value(), /*row_key=*/Value(),
        /*captures=*/mlir::ValueRange(), builder.getF64FloatAttr(parts.scale),
        /*causal=*/false, /*left=*/-1, /*right=*/-1, llvm::APFloat(0.0),
        /*dropout=*/llvm::APFloat(0.0), /*site=*/0, parts.q.layout,
        parts.k.layout, parts.v.layout, layout);
    result.replaceAllUsesWith(attention.getOut());
  }

  mlir::func::FuncOp function;
};

struct XfRaiseAttentionPass : impl::XfRaiseAttentionBase<XfRaiseAttentionPass> {
  void runOnOperation() override { Raiser(getOperation()).run(); }
};
} // namespace
