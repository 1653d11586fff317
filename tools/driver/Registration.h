//===- Registration.h - Dialects and passes of Dragoman's tools -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRIVER_REGISTRATION_H
#define DRAGOMAN_TOOLS_DRIVER_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace dragoman {

/// xf, plan, check and the closed list of upstream dialects.
void registerDialects(mlir::DialectRegistry &registry);

/// Every pass of the compiler, for pass pipelines given as text.
void registerPasses();

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRIVER_REGISTRATION_H
