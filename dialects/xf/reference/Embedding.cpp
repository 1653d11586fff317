//===- Embedding.cpp - Reference of xf.embedding --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <algorithm>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceEmbedding(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<EmbeddingOp>(operation);
  const Tensor &table = call.operand(op.getTable()); // [V,C]
  const Tensor &ids = call.operand(op.getIds());
  int64_t vocabulary = table.dim(0), channels = table.dim(1);
  if (vocabulary == 0)
    return Status(StatusCode::InvalidArgument,
                  "expected a table with rows, found " + table.typeText());
  std::vector<int64_t> shape = ids.shape();
  shape.push_back(channels);
  Tensor y = call.makeResult(0, shape);
  double *out = y.mutableFloats();
  double scale = op.getScale().convertToDouble();
  for (int64_t i = 0; i < ids.elements(); ++i) {
    int64_t id = ids.integers()[i];
    if (id < 0 || id >= vocabulary)
      call.fail(op.getSite(), i, id, vocabulary);
    id = std::clamp<int64_t>(id, 0, vocabulary - 1);
    for (int64_t c = 0; c < channels; ++c)
      out[i * channels + c] = table.floats()[id * channels + c] * scale;
  }
  call.results = {y};
  return Status::ok();
}
