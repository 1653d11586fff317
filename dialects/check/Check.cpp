//===- Check.cpp - Registration of the check dialect ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/check/Check.h"

#include "mlir/IR/Builders.h"

#include "dialects/check/CheckDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/check/Check.cpp.inc"

void dragoman::check::CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/check/Check.cpp.inc"
      >();
}
