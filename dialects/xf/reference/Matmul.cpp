//===- Matmul.cpp - Reference of xf.matmul --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceMatmul(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<MatmulOp>(operation);
  const Tensor &a = call.operand(op.getA()), &b = call.operand(op.getB());
  int64_t rank = a.rank();
  std::vector<int64_t> aStride = a.strides(), bStride = b.strides();
  int64_t am = op.getTransposeA() ? rank - 1 : rank - 2, ak = 2 * rank - 3 - am;
  int64_t bn = op.getTransposeB() ? rank - 2 : rank - 1, bk = 2 * rank - 3 - bn;
  int64_t m = a.dim(am), n = b.dim(bn), k = a.dim(ak);
  if (b.dim(bk) != k)
    return sizeError("K of b", {k}, {b.dim(bk)});
  auto aType = llvm::cast<mlir::RankedTensorType>(op.getA().getType());
  auto bType = llvm::cast<mlir::RankedTensorType>(op.getB().getType());
  std::vector<int64_t> shape;
  int64_t batches = 1;
  for (int64_t axis = 0; axis < rank - 2; ++axis) {
    bool aOne = aType.getDimSize(axis) == 1, bOne = bType.getDimSize(axis) == 1;
    if (!aOne && !bOne && a.dim(axis) != b.dim(axis))
      return sizeError("the batch axes of b", a.shape(), b.shape());
    shape.push_back(aOne ? b.dim(axis) : a.dim(axis));
    batches *= shape.back();
    if (aOne)
      aStride[axis] = 0;
    if (bOne)
      bStride[axis] = 0;
  }
  shape.insert(shape.end(), {m, n});
  Tensor c = call.makeResult(0, shape);
  double *out = c.mutableFloats();
  double alpha = op.getAlpha().convertToDouble();
  std::vector<double> column(k); // one column of b, gathered once per batch
  for (int64_t batch = 0; batch < batches; ++batch) {
    const double *aData = a.floats(), *bData = b.floats();
    for (int64_t axis = rank - 3, rest = batch; axis >= 0; --axis) {
      aData += rest % shape[axis] * aStride[axis];
      bData += rest % shape[axis] * bStride[axis];
      rest /= shape[axis];
    }
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l)
        column[l] = bData[j * bStride[bn] + l * bStride[bk]];
      for (int64_t i = 0; i < m; ++i) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += aData[i * aStride[am] + l * aStride[ak]] * column[l];
        out[(batch * m + i) * n + j] = alpha * sum;
      }
    }
  }
  call.results = {c};
  return Status::ok();
}
