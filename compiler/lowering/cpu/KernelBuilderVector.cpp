//===- KernelBuilderVector.cpp - Memory and 16-lane vectors ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/KernelBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cassert>

using namespace mlir;
using namespace dragoman;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value KernelBuilder::view(Value base, Value offset,
                          llvm::ArrayRef<OpFoldResult> sizes,
                          llvm::ArrayRef<OpFoldResult> strides) {
  llvm::SmallVector<int64_t> staticSizes, staticStrides;
  for (OpFoldResult size : sizes)
    staticSizes.push_back(
        getConstantIntValue(size).value_or(ShapedType::kDynamic));
  for (OpFoldResult stride : strides)
    staticStrides.push_back(
        getConstantIntValue(stride).value_or(ShapedType::kDynamic));
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic,
                                       staticStrides);
  auto type = MemRefType::get(
      staticSizes, cast<MemRefType>(base.getType()).getElementType(), layout);
  // Constant Values must become attributes, as the type says.
  auto fold = [&](llvm::ArrayRef<OpFoldResult> mixed) {
    llvm::SmallVector<OpFoldResult> folded;
    for (OpFoldResult value : mixed) {
      if (auto constant = getConstantIntValue(value))
        folded.push_back(b.getIndexAttr(*constant));
      else
        folded.push_back(value);
    }
    return folded;
  };
  // The offset stays a Value even when constant: the type says `offset: ?`.
  return memref::ReinterpretCastOp::create(b, type, base, OpFoldResult(offset),
                                           fold(sizes), fold(strides));
}

Value KernelBuilder::view(Value base, Value offset,
                          llvm::ArrayRef<int64_t> sizes,
                          llvm::ArrayRef<int64_t> strides) {
  llvm::SmallVector<OpFoldResult> foldedSizes, foldedStrides;
  for (int64_t size : sizes)
    foldedSizes.push_back(b.getIndexAttr(size));
  for (int64_t stride : strides)
    foldedStrides.push_back(b.getIndexAttr(stride));
  return view(base, offset, foldedSizes, foldedStrides);
}

Value KernelBuilder::load(Value memref, ValueRange at) {
  return memref::LoadOp::create(b, memref, at);
}

void KernelBuilder::store(Value value, Value memref, ValueRange at) {
  memref::StoreOp::create(b, value, memref, at);
}

Value KernelBuilder::loadV(Value memref, ValueRange at, int64_t lanes) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return vector::LoadOp::create(b, vec(element, lanes), memref, at);
}

void KernelBuilder::storeV(Value vector, Value memref, ValueRange at) {
  vector::StoreOp::create(b, vector, memref, at);
}

Value KernelBuilder::loadMasked(Value memref, ValueRange at, Value mask) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  int64_t lanes = cast<VectorType>(mask.getType()).getDimSize(0);
  Value zero =
      isa<FloatType>(element) ? splat(element, 0) : splatInt(element, 0);
  return vector::MaskedLoadOp::create(b, vec(element, lanes), memref, at, mask,
                                      zero);
}

void KernelBuilder::storeMasked(Value vector, Value memref, ValueRange at,
                                Value mask) {
  vector::MaskedStoreOp::create(b, memref, at, mask, vector);
}

Value KernelBuilder::tailMask(Value count) {
  Value lanes = broadcast(fromIndex(count, i32()));
  return cmp(arith::CmpIPredicate::slt, iota(i32()), lanes);
}

void KernelBuilder::prefetch(Value memref, ValueRange at, unsigned locality) {
  memref::PrefetchOp::create(b, memref, at, /*isWrite=*/false, locality,
                             /*isDataCache=*/true);
}

//===----------------------------------------------------------------------===//
// Floats and vectors
//===----------------------------------------------------------------------===//

Value KernelBuilder::constantF(double value) {
  return constant(b.getF32FloatAttr(value));
}

Value KernelBuilder::splat(Type element, double value) {
  return constant(
      DenseElementsAttr::get(vec(element), b.getFloatAttr(element, value)));
}

Value KernelBuilder::splatInt(Type element, int64_t value) {
  return constant(
      DenseElementsAttr::get(vec(element), b.getIntegerAttr(element, value)));
}

Value KernelBuilder::iota(Type element) {
  llvm::SmallVector<Attribute> lanes;
  for (int64_t i = 0; i < kernelLanes; ++i)
    lanes.push_back(b.getIntegerAttr(element, i));
  return constant(DenseElementsAttr::get(vec(element), lanes));
}

Value KernelBuilder::broadcast(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(b, vec(scalar.getType(), lanes), scalar);
}

Value KernelBuilder::addF(Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}
Value KernelBuilder::subF(Value x, Value y) {
  return arith::SubFOp::create(b, x, y);
}
Value KernelBuilder::mulF(Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}
Value KernelBuilder::divF(Value x, Value y) {
  return arith::DivFOp::create(b, x, y);
}
Value KernelBuilder::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}
Value KernelBuilder::sqrtF(Value x) { return math::SqrtOp::create(b, x); }
Value KernelBuilder::cmpF(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}
Value KernelBuilder::maxF(Value x, Value y) {
  return select(cmpF(arith::CmpFPredicate::OGT, x, y), x, y);
}

Value KernelBuilder::extract(Value vector, int64_t lane) {
  return vector::ExtractOp::create(b, vector, lane);
}

Value KernelBuilder::insert(Value scalar, Value vector, int64_t lane) {
  return vector::InsertOp::create(b, scalar, vector, lane);
}

Value KernelBuilder::shuffle(Value x, Value y, llvm::ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(b, x, y, lanes);
}

Value KernelBuilder::bitcast(Value vector, Type type) {
  if (isa<VectorType>(vector.getType()))
    return vector::BitCastOp::create(b, cast<VectorType>(type), vector);
  return arith::BitcastOp::create(b, type, vector);
}

/// Folds the 16 lanes pairwise: i with i+8, then i+4, i+2, i+1.
static Value reduceTree(KernelBuilder &k, Value vector,
                        llvm::function_ref<Value(Value, Value)> combine) {
  for (int64_t half = kernelLanes / 2; half >= 1; half /= 2) {
    llvm::SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < half; ++i) {
      low.push_back(i);
      high.push_back(i + half);
    }
    vector = combine(k.shuffle(vector, vector, low),
                     k.shuffle(vector, vector, high));
  }
  return k.extract(vector, 0);
}

Value KernelBuilder::reduceSum(Value vector) {
  return reduceTree(*this, vector,
                    [&](Value x, Value y) { return addF(x, y); });
}

Value KernelBuilder::reduceMax(Value vector) {
  return reduceTree(*this, vector,
                    [&](Value x, Value y) { return maxF(x, y); });
}

KernelBuilder::Values KernelBuilder::transpose16(ValueRange rows) {
  assert(rows.size() == kernelLanes && "a block has sixteen rows");
  // Stage s swaps, between rows r and r + s, the lanes whose bit s is set: four
  // stages exchange the four bits of the row with those of the column.
  Values block(rows);
  for (int64_t bit = 1; bit < kernelLanes; bit *= 2) {
    Values next(kernelLanes);
    llvm::SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < kernelLanes; ++lane) {
      low.push_back(lane & bit ? kernelLanes + (lane ^ bit) : lane);
      high.push_back(lane & bit ? kernelLanes + lane : lane ^ bit);
    }
    for (int64_t row = 0; row < kernelLanes; ++row) {
      if (row & bit)
        continue;
      next[row] = shuffle(block[row], block[row | bit], low);
      next[row | bit] = shuffle(block[row], block[row | bit], high);
    }
    block = next;
  }
  return block;
}
