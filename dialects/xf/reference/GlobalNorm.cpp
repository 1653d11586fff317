//===- GlobalNorm.cpp - Reference of xf.global_norm ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceGlobalNorm(ReferenceCall &call,
                               mlir::Operation *operation) {
  auto op = llvm::cast<GlobalNormOp>(operation);
  const Tensor &g = call.operand(op.getG());
  llvm::SmallVector<int64_t> ends(op.getGroups());
  if (ends.empty())
    ends.push_back(g.elements());
  if (ends.back() != g.elements())
    return sizeError("g", {ends.back()}, g.shape());
  Tensor n = call.makeResult(0, {static_cast<int64_t>(ends.size())});
  int64_t i = 0;
  for (auto [group, end] : llvm::enumerate(ends)) {
    double sum = 0;
    for (; i < end; ++i)
      sum += g.floats()[i] * g.floats()[i];
    n.mutableFloats()[group] = std::sqrt(sum);
  }
  call.results = {n};
  return Status::ok();
}
