//===- Xf.h - The xf dialect: what is computed -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_XF_H
#define DRAGOMAN_DIALECTS_XF_XF_H

#include "dialects/xf/Interfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <array>

#include "dialects/xf/XfDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/xf/Xf.h.inc"

#endif // DRAGOMAN_DIALECTS_XF_XF_H
