//===- Silu.cpp - Reference of xf.silu ------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceSilu(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<SiluOp>(operation);
  const Tensor &x = call.operand(op.getX());
  Tensor y = call.makeResult(0, x.shape());
  double *out = y.mutableFloats();
  llvm::StringRef name = "silu";
  for (int64_t i = 0; i < x.elements(); ++i)
    out[i] = applyActivation(name, x.floats()[i]);
  call.results = {y};
  return Status::ok();
}
