//===- StackTraffic.h - Vector spills of emitted code -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels keep their accumulators in registers; a spilled one costs a factor of
// two, and no result shows it. Tests count it in the machine code.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_EMIT_STACKTRAFFIC_H
#define DRAGOMAN_COMPILER_EMIT_STACKTRAFFIC_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace dragoman {

/// Per function of a relocatable ELF object: the instructions that move a
/// vector register (xmm, ymm, zmm) to or from the stack. An object that cannot
/// be read gives an empty map.
std::map<std::string, int64_t> countVectorStackTraffic(llvm::StringRef object);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_EMIT_STACKTRAFFIC_H
