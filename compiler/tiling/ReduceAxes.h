//===- ReduceAxes.h - How a reduction reads memory ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums along rows run in lanes along the reduced axis; sums over rows (column
// sums: gradients of biases and gains) run in lanes across the columns.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_REDUCEAXES_H
#define DRAGOMAN_COMPILER_TILING_REDUCEAXES_H

#include "mlir/IR/Operation.h"

namespace dragoman {

/// True if neighbours in memory of what `op` (a linalg op with reduction loops)
/// reads belong to neighbouring outputs: its widest inputs end in the axis that
/// the output ends in, and that axis is more than one element wide.
bool reducesRows(mlir::Operation *op);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_REDUCEAXES_H
