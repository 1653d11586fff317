//===- LossBuilder.cpp - What decompositions of losses share -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/LossBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;
namespace arith = mlir::arith;

Value xf::buildCounts(ScalarBuilder &scalar, Value target, int64_t ignore) {
  Value ignored = arith::ConstantOp::create(
      scalar.builder, scalar.loc,
      scalar.builder.getIntegerAttr(target.getType(), ignore));
  return arith::CmpIOp::create(scalar.builder, scalar.loc,
                               arith::CmpIPredicate::ne, target, ignored);
}

Value xf::buildCountedWeight(TensorBuilder &tensors, Value target,
                             Value classWeight, int64_t ignore,
                             mlir::Type acc) {
  return tensors.reduce(
      {tensors.onLoops(target, {0}, 1)}, tensors.sizes(target), 1, acc, 0.0,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value weight = scalar.constant(acc, 1.0);
        if (classWeight) {
          Value id = arith::IndexCastOp::create(
              scalar.builder, scalar.loc, scalar.builder.getIndexType(), in[0]);
          Value size = scalar.index(tensorType(classWeight).getDimSize(0));
          weight = scalar.cast(
              scalar.extract(classWeight, scalar.clamp(id, size)), acc);
        }
        Value counted = scalar.select(buildCounts(scalar, in[0], ignore),
                                      weight, scalar.constant(acc, 0.0));
        return scalar.add(in[1], counted);
      });
}

Value xf::buildSum(TensorBuilder &tensors, Value rows) {
  return tensors.reduce({tensors.onLoops(rows, {0}, 1)}, tensors.sizes(rows), 1,
                        tensorType(rows).getElementType(), 0.0,
                        [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                          return scalar.add(in[1], in[0]);
                        });
}

/// Rows whose logits exist at once.
static constexpr int64_t chunkRows = 256;

namespace {

/// Offsets, sizes and strides of the chunk in a tensor.
struct SliceParts {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;

  SliceParts(RowChunk &chunk, Value whole) : sizes(chunk.tensors.sizes(whole)) {
    mlir::OpBuilder &builder = chunk.tensors.builder;
    offsets.assign(sizes.size(), builder.getIndexAttr(0));
    strides.assign(sizes.size(), builder.getIndexAttr(1));
    offsets[0] = chunk.first;
    sizes[0] = chunk.count;
  }
};

} // namespace

Value RowChunk::take(Value whole) {
  if (!count)
    return whole;
  SliceParts parts(*this, whole);
  return mlir::tensor::ExtractSliceOp::create(tensors.builder, tensors.loc,
                                              whole, parts.offsets, parts.sizes,
                                              parts.strides);
}

Value RowChunk::put(Value rows, Value whole) {
  if (!count)
    return rows;
  SliceParts parts(*this, whole);
  return mlir::tensor::InsertSliceOp::create(tensors.builder, tensors.loc, rows,
                                             whole, parts.offsets, parts.sizes,
                                             parts.strides);
}

llvm::SmallVector<Value> xf::buildRowChunks(
    TensorBuilder &tensors, Value like, mlir::ValueRange init,
    llvm::function_ref<llvm::SmallVector<Value>(RowChunk, mlir::ValueRange)>
        body) {
  mlir::OpBuilder &builder = tensors.builder;
  mlir::OpFoldResult rows = tensors.size(like, 0);
  if (std::optional<int64_t> known = mlir::getConstantIntValue(rows);
      known && *known <= chunkRows)
    return body({tensors, {}, {}}, init);
  Value end = tensors.asIndex(rows);
  Value step = tensors.asIndex(builder.getIndexAttr(chunkRows));
  auto loop = mlir::scf::ForOp::create(builder, tensors.loc,
                                       tensors.asIndex(builder.getIndexAttr(0)),
                                       end, step, init);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  Value left = arith::SubIOp::create(builder, tensors.loc, end, first);
  Value count = arith::MinSIOp::create(builder, tensors.loc, left, step);
  llvm::SmallVector<Value> values =
      body({tensors, first, count}, loop.getRegionIterArgs());
  mlir::scf::YieldOp::create(builder, tensors.loc, values);
  return llvm::SmallVector<Value>(loop.getResults());
}
