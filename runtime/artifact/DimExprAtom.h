//===- DimExprAtom.h - What products of a DimExpr are made of -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the files DimExpr*.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_DIMEXPRATOM_H
#define DRAGOMAN_RUNTIME_ARTIFACT_DIMEXPRATOM_H

#include "runtime/artifact/DimExpr.h"

namespace dragoman {

struct DimExpr::Atom {
  std::string text;
  Call kind = Call::None;
  DimExpr a, b; ///< operands of a call
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_DIMEXPRATOM_H
