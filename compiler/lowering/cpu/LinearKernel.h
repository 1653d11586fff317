//===- LinearKernel.h - The packed linear layer on the CPU ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y[M,N] = epilogue(x[M,K] w[N,K]^T), with w packed in panels of 16 columns,
// bytes [ceil(N/16)][K][16], tail columns zero. N and K are static, M is not.
//
// A kernel tile is one chunk of 64 columns times one block of at most
// `rowBlock` rows: tile t is chunk t mod C of block t / C, C = ceil(N/64), so
// the tiles of a block read the weights once, in file order. Inside, rows
// divide into balanced register tiles by the target's table, all heights behind
// one switch.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_LINEARKERNEL_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_LINEARKERNEL_H

#include "compiler/lowering/cpu/KernelBuilder.h"
#include "compiler/lowering/cpu/VectorMath.h"

#include <functional>
#include <string>

namespace dragoman {

/// Columns of the weight that one kernel tile computes.
inline constexpr int64_t chunkColumns = 64;

/// A vector of outputs on its way through an epilogue: 16 columns of one row.
struct EpilogueVector {
  mlir::Value row;    ///< row of y
  mlir::Value column; ///< first column
  mlir::Value mask;   ///< lanes inside y; null if all are
};

/// Extends the epilogue behind bias and activation; returns the new value.
using EpilogueFunction =
    std::function<mlir::Value(const EpilogueVector &, mlir::Value)>;
/// Called once, at the start of the helper that holds the epilogue.
using EpilogueFactory = std::function<EpilogueFunction(KernelBuilder &)>;

/// One linear kernel. Slots are numbers of the kernel's tensors.
struct LinearSpec {
  int64_t columns = 0; ///< N
  int64_t depth = 0;   ///< K
  /// M, built where the kernel starts.
  std::function<mlir::Value(KernelBuilder &)> rows;
  /// Rows of a kernel tile at most. Measured: with 1 MiB of second-level cache
  /// 96 rows of 2048 columns stay in it beside a chunk of weights, 120 do not.
  int64_t rowBlock = 96;
  int64_t xSlot = 0, weightSlot = 1, outSlot = 2;
  int64_t biasSlot = -1;  ///< bias[N], -1 = none
  int64_t xRowStride = 0; ///< elements from row to row of x; 0 = K
  int64_t xOffset = 0;    ///< element of x[0][0] in its slot
  int64_t biasOffset = 0; ///< element of bias[0] in its slot
  Activation activation = Activation::None;
  EpilogueFactory epilogue; ///< may be null
};

/// Reads 16 values of tensor `slot`, of the shape of y [M,N].
mlir::Value loadLikeOutput(KernelBuilder &k, const LinearSpec &spec,
                           int64_t slot, const EpilogueVector &at);

/// Bytes of scratch that the kernel needs: outputs of a ragged last panel pass
/// through it, so that no mask lives in registers beside the accumulators.
int64_t linearScratchBytes(int64_t columns);

/// Builds the body of the kernel that `k` has opened.
void emitLinear(KernelBuilder &k, const LinearSpec &spec);

/// Tiles of a launch with `rows` rows.
int64_t linearTiles(int64_t rows, int64_t columns, int64_t rowBlock);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_LINEARKERNEL_H
