//===- ElementwiseSchedule.cpp - Tiles of an elementwise cluster ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/ElementGroups.h"
#include "compiler/tiling/Schedule.h"

using namespace dragoman;

// The tiles of all groups of results, each of about `elements` elements.
llvm::FailureOr<KernelSchedule>
dragoman::scheduleElementwise(plan::KernelOp kernel, mlir::Operation *,
                              const TargetInfo &target) {
  xf::DimAnalysis analysis;
  int64_t elements = target.number(kernel, "elements", target.elementBlock);
  DimExpr tiles(0);
  for (const ElementGroup &group : elementGroups(kernel, analysis, elements))
    tiles += group.tiles();
  return KernelSchedule{makeSchedule(kernel, {{"elements", elements}}), tiles};
}
