//===- ElementwiseSchedule.cpp - How an elementwise cluster divides into tiles
//-*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "mlir/IR/Block.h"

using namespace dragoman;

// A tile is `rows` rows of the result, a row being its innermost axis.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleElementwise(plan::KernelOp kernel, mlir::Operation *,
                              const TargetInfo &target) {
  mlir::Value result = kernel.getBody().front().getTerminator()->getOperand(0);
  auto type = llvm::cast<mlir::RankedTensorType>(result.getType());
  if (type.getRank() == 0)
    return KernelSchedule{makeSchedule(kernel, {{"rows", 1}}), DimExpr(1)};
  int64_t width = type.getShape().back();
  int64_t rows = 1;
  if (!mlir::ShapedType::isDynamic(width) && width > 0)
    rows = std::max<int64_t>(1, target.elementBlock / width);
  return KernelSchedule{makeSchedule(kernel, {{"rows", rows}}),
                        DimExpr::ceilDiv(rowCount(result), DimExpr(rows))};
}
