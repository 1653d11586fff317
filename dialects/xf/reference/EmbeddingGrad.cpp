//===- EmbeddingGrad.cpp - Reference of xf.embedding_grad -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceEmbeddingGrad(ReferenceCall &call,
                                  mlir::Operation *operation) {
  auto op = llvm::cast<EmbeddingGradOp>(operation);
  const Tensor &dy = call.operand(op.getDy()); // [...,C]
  const Tensor &ids = call.operand(op.getIds());
  auto type = llvm::cast<mlir::RankedTensorType>(op.getDtable().getType());
  int64_t vocabulary = type.getDimSize(0), channels = type.getDimSize(1);
  std::vector<int64_t> shape = ids.shape();
  shape.push_back(channels);
  if (dy.shape() != shape)
    return sizeError("dy", shape, dy.shape());
  Tensor dtable = call.makeResult(0, {vocabulary, channels});
  double scale = op.getScale().convertToDouble();
  for (int64_t i = 0; i < ids.elements(); ++i) {
    int64_t id = ids.integers()[i];
    if (id < 0 || id >= vocabulary || id == op.getPaddingId())
      continue;
    for (int64_t c = 0; c < channels; ++c)
      dtable.mutableFloats()[id * channels + c] +=
          dy.floats()[i * channels + c] * scale;
  }
  call.results = {dtable};
  return Status::ok();
}
