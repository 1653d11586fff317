//===- Yield.cpp - xf.yield -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/Xf.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Yield.cpp.inc"
