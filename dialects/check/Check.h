//===- Check.h - Expectations of op tests -----------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_CHECK_CHECK_H
#define DRAGOMAN_DIALECTS_CHECK_CHECK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/check/CheckDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/check/Check.h.inc"

#endif // DRAGOMAN_DIALECTS_CHECK_CHECK_H
