//===- VectorPhilox.h - The random draws of dropout on lanes --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Philox4x32-10 on scalars and vectors of any width, all of the same bits.
// Words travel in the low halves of 64-bit lanes, because the products need 64
// bits.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_VECTORPHILOX_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_VECTORPHILOX_H

#include "compiler/lowering/cpu/KernelBuilder.h"

#include <array>

namespace dragoman {

/// The two key words of a dropout site, as i64 scalars: the i64 `seed` folded
/// to 32 bits, and the site.
std::array<mlir::Value, 2> philoxKey(KernelBuilder &k, mlir::Value seed,
                                     int64_t site);

/// The four words for the counter: i64 scalars or equal vectors of i64, of
/// which the low 32 bits count. The results' upper halves are zero.
std::array<mlir::Value, 4> emitPhilox(KernelBuilder &k,
                                      std::array<mlir::Value, 4> counter,
                                      std::array<mlir::Value, 2> key);

/// The draws of the 16 elements whose last indices begin at `first` (an index,
/// a multiple of 4), as a vector of i32: four counters with four words each.
/// `second` is the counter's second word, `rowKey` the key of the row, both
/// i64.
mlir::Value emitDraws(KernelBuilder &k, mlir::Value first, mlir::Value second,
                      mlir::Value rowKey, std::array<mlir::Value, 2> key);

/// Which of the draws (i32 lanes) keep their element, as a mask.
mlir::Value emitKept(KernelBuilder &k, mlir::Value draws, double p);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_VECTORPHILOX_H
