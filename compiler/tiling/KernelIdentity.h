//===- KernelIdentity.h - When two kernels are one -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_KERNELIDENTITY_H
#define DRAGOMAN_COMPILER_TILING_KERNELIDENTITY_H

#include "dialects/plan/Plan.h"

#include <string>

namespace dragoman {

/// The text that equal kernels share: the generic form without name and
/// locations, dimensions renamed in their order. It holds body, sizes, layouts
/// and schedule.
std::string kernelIdentity(plan::KernelOp kernel);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_KERNELIDENTITY_H
