//===- Check.cpp - Reference of xf.check ----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceCheck(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<CheckOp>(operation);
  const Tensor &condition = call.operand(op.getCondition());
  auto read = [](const Tensor *tensor, int64_t i) {
    return tensor ? tensor->integers()[tensor->rank() ? i : 0] : int64_t(0);
  };
  const Tensor *value = call.optional(op.getValue());
  const Tensor *bound = call.optional(op.getBound());
  for (const Tensor *tensor : {value, bound})
    if (tensor && tensor->rank() && tensor->shape() != condition.shape())
      return sizeError("value and bound", condition.shape(), tensor->shape());
  for (int64_t i = 0; i < condition.elements(); ++i) {
    if (condition.integers()[i])
      continue;
    call.fail(op.getSite(), i, read(value, i), read(bound, i));
    break;
  }
  return Status::ok();
}
