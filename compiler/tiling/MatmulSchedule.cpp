//===- MatmulSchedule.cpp - How matmul divides into tiles -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/MatmulBlocks.h"
#include "compiler/tiling/Schedule.h"

#include "dialects/xf/Xf.h"

using namespace dragoman;

// One tile per batch: operands are activations, packed inside the tile.
llvm::FailureOr<KernelSchedule> dragoman::scheduleMatmul(plan::KernelOp kernel,
                                                         mlir::Operation *root,
                                                         const TargetInfo &) {
  auto matmul = llvm::cast<xf::MatmulOp>(root);
  unsigned rank =
      llvm::cast<mlir::RankedTensorType>(matmul.getC().getType()).getRank();
  DimExpr rows = DimExpr::ceilDiv(axisSize(matmul.getC(), rank - 2),
                                  DimExpr(MatmulBlocks::rows));
  DimExpr columns = DimExpr::ceilDiv(axisSize(matmul.getC(), rank - 1),
                                     DimExpr(MatmulBlocks::columns));
  return KernelSchedule{
      makeSchedule(kernel, {{"rows", MatmulBlocks::rows},
                            {"columns", MatmulBlocks::columns},
                            {"depth", MatmulBlocks::depth}}),
      rowCount(matmul.getC(), /*inner=*/2) * rows * columns,
      MatmulBlocks::scratchBytes};
}
