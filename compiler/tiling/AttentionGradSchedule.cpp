//===- AttentionGradSchedule.cpp - How attention_grad divides into tiles --===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/AttentionGradBlocks.h"
#include "compiler/tiling/Schedule.h"
#include "dialects/xf/ops/AttentionForm.h"

using namespace dragoman;

AttentionGradScratch::AttentionGradScratch(int64_t queryTile, int64_t headSize,
                                           int64_t valueSize) {
  headLanes = (headSize + 15) / 16 * 16;
  valueLanes = (valueSize + 15) / 16 * 16;
  bytes = 0;
  auto part = [&](int64_t elements, int64_t width) {
    int64_t offset = bytes;
    bytes += (elements * width + 63) / 64 * 64;
    return offset;
  };
  weights = part(queryTile * stride, 4);
  scores = part(queryTile * stride, 4);
  keys = part(attentionKeyBlock * headSize, 4);
  values = part(attentionKeyBlock * valueSize, 4);
  bool raggedHead = headLanes != headSize,
       raggedValue = valueLanes != valueSize;
  keyRows = part(raggedHead ? attentionKeyBlock * headLanes : 0, 4);
  queryRows = part(raggedHead ? queryTile * headLanes : 0, 4);
  doutRows = part(raggedValue ? queryTile * valueLanes : 0, 4);
  means = part(queryTile, 4);
  shifts = part(queryTile, 4);
  first = part(queryTile, 8);
  last = part(queryTile, 8);
}

llvm::FailureOr<KernelSchedule>
dragoman::scheduleAttentionGrad(plan::KernelOp kernel, mlir::Operation *root,
                                const TargetInfo &) {
  auto op = llvm::cast<xf::AttentionGradOp>(root);
  xf::AttentionForm form(op);
  AttentionGradScratch scratch(attentionGradQueryTile, form.headSize,
                               form.valueSize);
  return KernelSchedule{
      makeSchedule(kernel, {{"query_tile", attentionGradQueryTile}}),
      axisSize(op.getLse(), 0) * DimExpr(form.keyHeads), scratch.bytes};
}
