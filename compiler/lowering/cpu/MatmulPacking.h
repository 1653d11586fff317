//===- MatmulPacking.h - Operands of a matmul into scratch ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of both operands are copied into the layouts of MatmulBlocks.h, where
// the micro-kernel finds them with static strides whatever their own layout.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_MATMULPACKING_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_MATMULPACKING_H

#include "compiler/lowering/cpu/PullEvaluator.h"
#include "compiler/tiling/MatmulBlocks.h"
#include "dialects/xf/Xf.h"

namespace dragoman {

/// One operand, as the packing helpers read it: element (row, column) of the
/// matrix it stands for, `transposed` if the tensor holds (column, row).
struct MatmulOperand {
  mlir::Value tensor;
  bool transposed;
};

/// An operand that the micro-kernel reads where it lies: the element of row (of
/// a) or column (of b) i and of k is offset + i * stride + k * kStride.
struct OperandInPlace {
  int64_t slot;
  mlir::Value offset;
  int64_t stride, kStride;
};
/// Where a lies, its rows over all matrices if they fold; nothing if it is
/// computed, at strides that are not constant, or at strides that the caches do
/// not like.
std::optional<OperandInPlace> findAInPlace(KernelBody &body,
                                           xf::MatmulOp matmul);
/// Where b lies, if it is [K][N] and no tile of columns reaches beyond N.
std::optional<OperandInPlace> findBInPlace(KernelBody &body,
                                           xf::MatmulOp matmul);

/// Builds the helpers that pack; each is opened by its caller and finished
/// here.
class MatmulPacking {
public:
  MatmulPacking(plan::KernelOp kernel, xf::MatmulOp matmul,
                const MatmulBlocks &blocks)
      : kernel(kernel), matmul(matmul), blocks(blocks) {}

  /// Helper (matrix, first row, rows, first k, depth): a's block to the
  /// scratch. Returns true if it goes there as [depth][rows].
  bool buildA(KernelBuilder &helper);
  /// Helper (matrix, first column, columns, first k, depth, first float): b's
  /// block to panels from that float of b's scratch on.
  void buildB(KernelBuilder &helper);

  /// Helper (first row, rows, first column, columns, from k, to k): fetches
  /// what will be read of those k into the second-level cache. Returns false,
  /// with an empty helper, if b, or a that is transposed, does not lie in lines
  /// of equal k of one product.
  bool buildAhead(KernelBuilder &helper);

  bool failed() const { return failure; }

private:
  plan::KernelOp kernel;
  xf::MatmulOp matmul;
  MatmulBlocks blocks;
  bool failure = false;
};

/// Calls `body(at, mask)` for 16 numbers below `count` at a time; only the last
/// call has a mask.
void forSixteens(KernelBuilder &k, mlir::Value count,
                 llvm::function_ref<void(mlir::Value, mlir::Value)> body);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_MATMULPACKING_H
