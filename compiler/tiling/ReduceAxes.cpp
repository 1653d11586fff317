//===- ReduceAxes.cpp - How a reduction reads memory ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/ReduceAxes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace dragoman;

bool dragoman::reducesRows(Operation *root) {
  auto op = dyn_cast<linalg::LinalgOp>(root);
  if (!op || op.getNumDpsInits() != 1)
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap out = op.getMatchingIndexingMap(init);
  auto type = cast<RankedTensorType>(init->get().getType());
  if (out.getNumResults() == 0 || type.getShape().back() == 1)
    return false;
  auto lane = dyn_cast<AffineDimExpr>(out.getResults().back());
  unsigned widest = 0;
  for (OpOperand *input : op.getDpsInputOperands())
    widest = std::max(widest, op.getMatchingIndexingMap(input).getNumResults());
  return lane && widest > 0 &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           AffineMap map = op.getMatchingIndexingMap(input);
           return map.getNumResults() < widest ||
                  map.getResults().back() == lane;
         });
}
