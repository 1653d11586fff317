//===- GlobalNorm.cpp - Decomposition of xf.global_norm ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

/// Sums over a chunk come first: their number says how far the sum divides
/// among threads, and the order of all is that of the elements.
static constexpr int64_t chunk = 4096;

static Value squareSums(TensorBuilder &tensors, Value x, unsigned reduced,
                        mlir::Type acc) {
  unsigned rank = tensorType(x).getRank();
  return tensors.reduce(
      {{x, tensors.builder.getMultiDimIdentityMap(rank)}}, tensors.sizes(x),
      reduced, acc, 0.0, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value value = scalar.cast(in[0], acc);
        return scalar.add(in[1], scalar.multiply(value, value));
      });
}

/// The sum of squares of `size` elements from `first` on.
static Value sumOfGroup(TensorBuilder &tensors, Value g, int64_t first,
                        int64_t size, mlir::Type acc) {
  mlir::OpBuilder &builder = tensors.builder;
  mlir::Type element = tensorType(g).getElementType();
  auto part = [&](int64_t from, int64_t count) -> Value {
    if (count == tensorType(g).getDimSize(0))
      return g;
    return mlir::tensor::ExtractSliceOp::create(
        builder, tensors.loc, mlir::RankedTensorType::get({count}, element), g,
        mlir::ValueRange(), mlir::ValueRange(), mlir::ValueRange(),
        llvm::ArrayRef<int64_t>{from}, llvm::ArrayRef<int64_t>{count},
        llvm::ArrayRef<int64_t>{1});
  };
  int64_t whole = size / chunk * chunk;
  Value rest;
  if (whole < size || whole == 0)
    rest = squareSums(tensors, part(first + whole, size - whole), 1, acc);
  if (whole == 0)
    return rest;
  mlir::ReassociationIndices both = {0, 1};
  Value chunks = mlir::tensor::ExpandShapeOp::create(
      builder, tensors.loc,
      mlir::RankedTensorType::get({whole / chunk, chunk}, element),
      part(first, whole), llvm::ArrayRef<mlir::ReassociationIndices>{both});
  Value sums = squareSums(tensors, chunks, 1, acc);
  auto identity = builder.getMultiDimIdentityMap(1);
  Value sum = tensors.reduce(
      {{sums, identity}}, tensors.sizes(sums), 1, acc, 0.0,
      [&](ScalarBuilder &scalar, auto in) { return scalar.add(in[1], in[0]); });
  if (!rest)
    return sum;
  auto scalars = mlir::AffineMap::get(0, 0, builder.getContext());
  return tensors.elementwise({{sum, scalars}, {rest, scalars}}, {}, acc,
                             [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                               return scalar.add(in[0], in[1]);
                             });
}

llvm::FailureOr<llvm::SmallVector<Value>>
GlobalNormOp::decompose(mlir::OpBuilder &builder) {
  TensorBuilder tensors(builder, getLoc());
  mlir::Type acc = tensorType(getN()).getElementType();
  mlir::RankedTensorType g = tensorType(getG());
  llvm::SmallVector<Value> sums;
  if (g.isDynamicDim(0)) {
    sums.push_back(squareSums(tensors, getG(), 1, acc));
  } else {
    int64_t first = 0;
    llvm::SmallVector<int64_t> ends(getGroups());
    if (ends.empty())
      ends.push_back(g.getDimSize(0));
    for (int64_t end : ends) {
      sums.push_back(sumOfGroup(tensors, getG(), first, end - first, acc));
      first = end;
    }
  }
  // The element of each group is chosen by its number.
  auto none = [&](Value sum) { return tensors.onLoops(sum, {}, 1); };
  llvm::SmallVector<GenericInput> inputs = llvm::map_to_vector(sums, none);
  Value n = tensors.elementwise(
      inputs, {builder.getIndexAttr(sums.size())}, acc,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value value = in[0];
        for (unsigned group = 1; group < in.size(); ++group)
          value =
              scalar.select(scalar.less(scalar.loop(0), scalar.index(group)),
                            value, in[group]);
        return scalar.sqrt(value);
      });
  return llvm::SmallVector<Value>{n};
}
