//===- CacheAppendKernel.h - Writing into a cache on the CPU ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// xf.cache_append in place: a tile is one fresh row and one head. A row or a
// position outside the cache is recorded in the error block and not written.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_CACHEAPPENDKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_CACHEAPPENDKERNEL_H

#include "compiler/lowering/cpu/PullEvaluator.h"

namespace dragoman {

/// Builds the body of the kernel that `k` has opened. Each result must be an
/// append that shares its cache's memory (plan.alias).
llvm::LogicalResult lowerCacheAppend(plan::KernelOp kernel, KernelBuilder &k);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_CACHEAPPENDKERNEL_H
