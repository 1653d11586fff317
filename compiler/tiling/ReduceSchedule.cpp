//===- ReduceSchedule.cpp - How a reduction divides into tiles ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/ReduceAxes.h"
#include "compiler/tiling/Schedule.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace dragoman;

// A sum is one fixed order, never divided: a tile is `outputs` output elements,
// of a column sum `columns` neighbouring ones.
llvm::FailureOr<KernelSchedule> dragoman::scheduleReduce(plan::KernelOp kernel,
                                                         mlir::Operation *root,
                                                         const TargetInfo &) {
  mlir::Value result = root->getResult(0);
  if (reducesRows(root)) {
    int64_t last =
        llvm::cast<mlir::RankedTensorType>(result.getType()).getRank() - 1;
    // Wide rows: more of each page at a time.
    int64_t columns =
        axisSize(result, last).constant().value_or(0) >= 1024 ? 128 : 64;
    return KernelSchedule{
        makeSchedule(kernel, {{"columns", columns}}),
        rowCount(result) * DimExpr::ceilDiv(axisSize(result, last), columns)};
  }
  constexpr int64_t outputs = 16;
  DimExpr elements = rowCount(result, /*inner=*/0);
  return KernelSchedule{makeSchedule(kernel, {{"outputs", outputs}}),
                        DimExpr::ceilDiv(elements, outputs)};
}
