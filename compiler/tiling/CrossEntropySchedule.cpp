//===- CrossEntropySchedule.cpp - Tiles of the loss of rows --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "dialects/xf/Xf.h"

using namespace dragoman;

// A tile is `rows` rows, of about half an elementwise tile together: one row of
// a real vocabulary.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleCrossEntropy(plan::KernelOp kernel, mlir::Operation *root,
                               const TargetInfo &target) {
  mlir::Value logits = llvm::cast<xf::CrossEntropyGradOp>(root).getLogits();
  int64_t vocabulary =
      llvm::cast<mlir::RankedTensorType>(logits.getType()).getDimSize(1);
  int64_t rows = std::max<int64_t>(
      target.elementBlock / 2 / std::max<int64_t>(vocabulary, 1), 1);
  return KernelSchedule{makeSchedule(kernel, {{"rows", rows}}),
                        DimExpr::ceilDiv(axisSize(logits, 0), DimExpr(rows))};
}
