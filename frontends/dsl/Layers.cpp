//===- Layers.cpp - Layers and elementwise work of entries ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/dsl/Builder.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"
#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::dsl;
using mlir::AffineMap;
using mlir::OpFoldResult;
using mlir::RankedTensorType;

static RankedTensorType typeOf(Tensor x) {
  return llvm::cast<RankedTensorType>(x.getType());
}

//===----------------------------------------------------------------------===//
// Entry: layers
//===----------------------------------------------------------------------===//

Tensor Entry::load(const Weight &weight) {
  return plan::LoadOp::create(b, weight.type, weight.name);
}

Tensor Entry::linear(Tensor x, const Linear &layer,
                     llvm::StringRef activation) {
  llvm::SmallVector<int64_t> shape(typeOf(x).getShape());
  shape.back() = layer.w.type.getDimSize(0);
  Tensor w = load(layer.w);
  Tensor bias = layer.b ? load(layer.b) : Tensor();
  return xf::LinearOp::create(b, typeOf(x).clone(shape), x, w, bias,
                              activation);
}

Tensor Entry::layerNorm(Tensor x, const Norm &norm, double eps) {
  Tensor gain = load(norm.gain), bias = load(norm.bias);
  return xf::LayerNormOp::create(b, x.getType(), x, gain, bias,
                                 llvm::APFloat(eps));
}

Tensor Entry::embedding(const Weight &table, Tensor ids, double scale,
                        int64_t site) {
  llvm::SmallVector<int64_t> shape(typeOf(ids).getShape());
  shape.push_back(table.type.getDimSize(1));
  return xf::EmbeddingOp::create(b, RankedTensorType::get(shape, f32()),
                                 load(table), ids, llvm::APFloat(scale), site);
}

Tensor Entry::splitHeads(Tensor x, int64_t heads) {
  int64_t channels = typeOf(x).getDimSize(2);
  OpFoldResult sizes[] = {size(x, 0), size(x, 1), b.getIndexAttr(heads),
                          b.getIndexAttr(channels / heads)};
  auto type =
      RankedTensorType::get({typeOf(x).getDimSize(0), typeOf(x).getDimSize(1),
                             heads, channels / heads},
                            f32());
  llvm::SmallVector<mlir::ReassociationIndices> groups = {{0}, {1}, {2, 3}};
  return mlir::tensor::ExpandShapeOp::create(b, type, x, groups, sizes);
}

Tensor Entry::mergeHeads(Tensor x) {
  llvm::SmallVector<mlir::ReassociationIndices> groups = {{0}, {1}, {2, 3}};
  return mlir::tensor::CollapseShapeOp::create(b, x, groups);
}

/// Fills a region of attention with what `change` makes of its first argument.
static void fillRegion(mlir::ImplicitLocOpBuilder &b, mlir::Region &region,
                       const ScoreFunction &change, mlir::Type element,
                       mlir::ValueRange captures) {
  if (!change)
    return;
  mlir::OpBuilder::InsertionGuard guard(b);
  mlir::Type index = b.getIndexType();
  mlir::Block *block = b.createBlock(
      &region, region.end(), {element, index, index, index, index},
      llvm::SmallVector<mlir::Location>(5, b.getLoc()));
  auto argument = [&](unsigned i) { return Scalar(b, block->getArgument(i)); };
  llvm::SmallVector<mlir::Value> tensors(captures);
  ScorePlace place{argument(1), argument(2), argument(3), argument(4), tensors};
  xf::YieldOp::create(b, change(argument(0), place).value());
}

Tensor Entry::attention(Tensor q, Tensor k, Tensor v, const AttentionMask &mask,
                        bool cached, const AttentionChange &change) {
  llvm::StringRef layout = cached ? "bhtd" : "bthd";
  RankedTensorType out = typeOf(q);
  auto lse = RankedTensorType::get(
      {out.getDimSize(0), out.getDimSize(2), out.getDimSize(1)}, f32());
  bool drops = seed && change.dropout.p > 0;
  auto op = xf::AttentionOp::create(
      b, out, lse, q, k, v, /*bias=*/Tensor(), mask.visible, mask.keyCount,
      /*starts=*/Tensor(), mask.offset, mask.rows, drops ? seed : Tensor(),
      drops ? rowKey : Tensor(), change.captures, /*scale=*/mlir::FloatAttr(),
      mask.causal, /*left=*/-1, /*right=*/-1, /*softcap=*/llvm::APFloat(0.0),
      llvm::APFloat(drops ? change.dropout.p : 0.0),
      drops ? change.dropout.site : 0, /*q_layout=*/"bthd", layout, layout,
      /*out_layout=*/"bthd");
  fillRegion(b, op.getScore(), change.score, f32(), change.captures);
  fillRegion(b, op.getProb(), change.prob, f32(), change.captures);
  return op.getOut();
}

Tensor Entry::meanWeights(Tensor q, Tensor k, Tensor keyCount) {
  xf::TensorBuilder tensors(b, b.getLoc());
  Tensor queries = headsFirst(q), keys = headsFirst(k);
  llvm::SmallVector<int64_t> shape(typeOf(queries).getShape());
  int64_t heads = shape[1], size = shape[3];
  shape[3] = typeOf(keys).getDimSize(2);
  auto type = RankedTensorType::get(shape, f32());
  Tensor scores = xf::MatmulOp::create(
      b, type, queries, keys, /*transpose_a=*/false, /*transpose_b=*/true,
      llvm::APFloat(1.0 / std::sqrt(static_cast<double>(size))));
  Tensor weights =
      xf::SoftmaxOp::create(b, type, scores, /*mask=*/Tensor(), keyCount);
  // Loops b, t, s, h.
  llvm::SmallVector<OpFoldResult> sizes = tensors.sizes(weights);
  return tensors.reduce(
      {tensors.onLoops(weights, {0, 3, 1, 2}, 4)},
      {sizes[0], sizes[2], sizes[3], sizes[1]}, 1, f32(), 0,
      [&](xf::ScalarBuilder &scalar, mlir::ValueRange in) {
        mlir::Value share = scalar.constant(f32(), 1.0 / heads);
        return scalar.add(in[1], scalar.multiply(in[0], share));
      });
}

Tensor Entry::cacheAppend(Tensor cache, Tensor fresh, Tensor at, Tensor row,
                          int64_t site) {
  return xf::CacheAppendOp::create(b, cache.getType(), cache, fresh, at, row,
                                   /*layout=*/"rows", /*fresh_layout=*/"bthd",
                                   site);
}

Tensor Entry::dropout(Tensor x, const Dropout &layer) {
  if (!seed || layer.p == 0)
    return x;
  return xf::DropoutOp::create(b, x.getType(), x, seed, rowKey,
                               llvm::APFloat(layer.p), layer.site);
}

LossSums Entry::crossEntropy(Tensor x, const Linear &projection, Tensor labels,
                             const LossOptions &options) {
  Tensor rows = mlir::tensor::CollapseShapeOp::create(
      b, x, llvm::ArrayRef<mlir::ReassociationIndices>{{0, 1}, {2}});
  Tensor ids = mlir::tensor::CollapseShapeOp::create(
      b, labels, llvm::ArrayRef<mlir::ReassociationIndices>{{0, 1}});
  Tensor w = load(projection.w);
  Tensor bias = projection.b ? load(projection.b) : Tensor();
  auto each = RankedTensorType::get({typeOf(rows).getDimSize(0)}, f32());
  auto op = xf::LinearCrossEntropyOp::create(
      b, each, each, each, rows, w, bias, ids, /*class_weight=*/Tensor(),
      llvm::APFloat(options.smoothing), options.ignore,
      b.getDenseI64ArrayAttr(options.forbidden), options.site);
  return {sum(op.getLoss()), sum(op.getNll()), sum(op.getCorrect())};
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// A builder behind everything that stands in the block of `x`.
static mlir::ImplicitLocOpBuilder builderOf(Tensor x) {
  mlir::ImplicitLocOpBuilder b(x.getLoc(), x.getContext());
  b.setInsertionPointToEnd(x.getParentBlock());
  return b;
}

/// `body` on each element of x and, where it has the axis, of y.
static Tensor
elementwise(Tensor x, llvm::ArrayRef<mlir::Value> others,
            llvm::function_ref<Scalar(llvm::ArrayRef<Scalar>)> body) {
  mlir::ImplicitLocOpBuilder b = builderOf(x);
  unsigned rank = typeOf(x).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  llvm::SmallVector<mlir::Value> inputs = {x};
  llvm::SmallVector<AffineMap> maps = {identity};
  for (mlir::Value other : others) {
    inputs.push_back(other);
    maps.push_back(identity.getMinorSubMap(typeOf(other).getRank()));
  }
  maps.push_back(identity);
  llvm::SmallVector<OpFoldResult> sizes =
      mlir::tensor::getMixedSizes(b, b.getLoc(), x);
  Tensor empty =
      mlir::tensor::EmptyOp::create(b, sizes, typeOf(x).getElementType());
  llvm::SmallVector<mlir::utils::IteratorType> iterators(
      rank, mlir::utils::IteratorType::parallel);
  return mlir::linalg::GenericOp::create(
             b, empty.getType(), inputs, empty, maps, iterators,
             [&](mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::ValueRange values) {
               mlir::ImplicitLocOpBuilder inner(loc, builder);
               llvm::SmallVector<Scalar> scalars;
               for (mlir::Value value : values.drop_back())
                 scalars.push_back({inner, value});
               mlir::Value result = body(scalars).value();
               mlir::linalg::YieldOp::create(inner, result);
             })
      .getResult(0);
}

Tensor dsl::operator+(Tensor x, Tensor y) {
  return elementwise(x, y, [](auto v) { return v[0] + v[1]; });
}

Tensor dsl::operator*(Tensor x, Tensor y) {
  return elementwise(x, y, [](auto v) { return v[0] * v[1]; });
}

Tensor dsl::operator*(Tensor x, double factor) {
  return elementwise(x, {}, [&](auto v) { return v[0] * factor; });
}

OpFoldResult Entry::size(Tensor x, unsigned axis) {
  if (!typeOf(x).isDynamicDim(axis))
    return b.getIndexAttr(typeOf(x).getDimSize(axis));
  return mlir::tensor::DimOp::create(b, x, axis).getResult();
}

Tensor Entry::generic(mlir::Type element, llvm::ArrayRef<OpFoldResult> sizes,
                      mlir::ValueRange inputs, llvm::ArrayRef<AffineMap> maps,
                      Body body) {
  Tensor empty = mlir::tensor::EmptyOp::create(b, sizes, element);
  llvm::SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(sizes.size()));
  llvm::SmallVector<mlir::utils::IteratorType> iterators(
      sizes.size(), mlir::utils::IteratorType::parallel);
  return mlir::linalg::GenericOp::create(
             b, empty.getType(), inputs, empty, all, iterators,
             [&](mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::ValueRange values) {
               mlir::ImplicitLocOpBuilder inner(loc, builder);
               mlir::Value value = body(inner, values);
               mlir::linalg::YieldOp::create(inner, value);
             })
      .getResult(0);
}

Tensor Entry::iota(Tensor x, unsigned axis) {
  return generic(i64(), size(x, axis), {}, {},
                 [&](mlir::ImplicitLocOpBuilder &builder,
                     mlir::ValueRange) -> mlir::Value {
                   mlir::Value i = mlir::linalg::IndexOp::create(builder, 0);
                   return mlir::arith::IndexCastOp::create(builder, i64(), i);
                 });
}

Tensor Entry::positions(Tensor start, Tensor like) {
  AffineMap row = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  return generic(i64(), {size(like, 0), size(like, 1)}, start, row,
                 [&](mlir::ImplicitLocOpBuilder &builder,
                     mlir::ValueRange values) -> mlir::Value {
                   mlir::Value t = mlir::linalg::IndexOp::create(builder, 1);
                   t = mlir::arith::IndexCastOp::create(builder, i64(), t);
                   return mlir::arith::AddIOp::create(builder, values[0], t);
                 });
}

Tensor Entry::addSize(Tensor x, Tensor like, unsigned axis) {
  mlir::Value count =
      mlir::getValueOrCreateConstantIndexOp(b, b.getLoc(), size(like, axis));
  count = mlir::arith::IndexCastOp::create(b, i64(), count);
  return generic(i64(), size(x, 0), x, b.getMultiDimIdentityMap(1),
                 [&](mlir::ImplicitLocOpBuilder &builder,
                     mlir::ValueRange values) -> mlir::Value {
                   return mlir::arith::AddIOp::create(builder, values[0],
                                                      count);
                 });
}

Tensor Entry::sum(Tensor x) {
  xf::TensorBuilder tensors(b, b.getLoc());
  return tensors.reduce({tensors.broadcast(x)}, tensors.sizes(x), 1,
                        typeOf(x).getElementType(), 0,
                        [](xf::ScalarBuilder &scalar, mlir::ValueRange in) {
                          return scalar.add(in[0], in[1]);
                        });
}

//===----------------------------------------------------------------------===//
// Without caches
//===----------------------------------------------------------------------===//

Tensor Entry::visibleKeys(Tensor mask) {
  OpFoldResult one = b.getIndexAttr(1);
  AffineMap map = AffineMap::get(
      4, 0, {b.getAffineDimExpr(0), b.getAffineDimExpr(3)}, b.getContext());
  return generic(
      b.getI1Type(), {size(mask, 0), one, one, size(mask, 1)}, mask, map,
      [](mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange values) {
        return (Scalar(builder, values[0]) != 0.0).value();
      });
}

mlir::Value Entry::pastSize(Tensor past) {
  if (!past)
    return mlir::arith::ConstantIndexOp::create(b, 0);
  return mlir::getValueOrCreateConstantIndexOp(b, b.getLoc(), size(past, 2));
}

Tensor Entry::causalMask(Tensor ids, Tensor past) {
  OpFoldResult one = b.getIndexAttr(1), queries = size(ids, 1), keys = queries;
  if (past) {
    mlir::Value fresh =
        mlir::getValueOrCreateConstantIndexOp(b, b.getLoc(), queries);
    keys = mlir::arith::AddIOp::create(b, pastSize(past), fresh).getResult();
  }
  AffineMap query = AffineMap::get(4, 0, b.getAffineDimExpr(2));
  return generic(
      b.getI1Type(), {one, one, queries, keys}, positionsBehind(ids, past),
      query, [&](mlir::ImplicitLocOpBuilder &builder, mlir::ValueRange values) {
        Scalar position(builder, values[0]);
        mlir::Value key = mlir::linalg::IndexOp::create(builder, 3);
        key = mlir::arith::IndexCastOp::create(builder, i64(), key);
        return (Scalar(builder, key) <= position).value();
      });
}

Tensor Entry::positionsBehind(Tensor ids, Tensor past) {
  mlir::Value before = pastSize(past);
  return generic(i64(), size(ids, 1), {}, {},
                 [&](mlir::ImplicitLocOpBuilder &builder,
                     mlir::ValueRange) -> mlir::Value {
                   Scalar t(builder, mlir::linalg::IndexOp::create(builder, 0));
                   return mlir::arith::IndexCastOp::create(
                       builder, i64(), (t + Scalar(builder, before)).value());
                 });
}

Tensor Entry::headsFirst(Tensor x) {
  return xf::TensorBuilder(b, b.getLoc()).transpose(x, {0, 2, 1, 3});
}

Tensor Entry::concatKeys(Tensor past, Tensor fresh) {
  return mlir::tensor::ConcatOp::create(b, typeOf(past), 2,
                                        mlir::ValueRange{past, fresh});
}
