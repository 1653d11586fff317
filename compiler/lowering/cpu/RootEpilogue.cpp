//===- RootEpilogue.cpp - Elementwise work behind a contraction -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/RootEpilogue.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dragoman;

/// The tensor whose elements lie in memory like `tensor`'s: reshapes of dense
/// results change no byte.
static Value behindReshapes(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

Value RootEpilogue::result(plan::KernelOp kernel, Value root) {
  auto yield = cast<plan::YieldOp>(kernel.getBody().front().getTerminator());
  if (yield.getValues().size() != 1) {
    kernel.emitOpError("expected one result of a contraction kernel, found ")
        << yield.getValues().size();
    return nullptr;
  }
  Value tensor = behindReshapes(yield.getValues()[0]);
  auto found = cast<RankedTensorType>(tensor.getType());
  auto expected = cast<RankedTensorType>(root.getType());
  if (found.getRank() == 0 || !found.getElementType().isF32() ||
      found.getShape().back() != expected.getShape().back()) {
    kernel.emitOpError("expected a result of the root's shape, found ")
        << found << " behind " << expected;
    return nullptr;
  }
  return tensor;
}

bool RootEpilogue::isTrivial(plan::KernelOp kernel, Value root) {
  auto yield = cast<plan::YieldOp>(kernel.getBody().front().getTerminator());
  return behindReshapes(yield.getValues()[0]) == root;
}

RootEpilogue::RootEpilogue(plan::KernelOp kernel, Value root, KernelBuilder &k)
    : body(kernel, k), pull(body), root(root), tensor(result(kernel, root)) {
  if (!tensor)
    return;
  rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (rank <= 2 || followsRows(tensor))
    return;
  for (int64_t axis = 0; axis + 1 < rank; ++axis)
    leading.push_back(body.size(tensor, axis));
}

/// True if element (r, c) of the two-dimensional form of `tensor` depends on r
/// and c alone: then rows need not be split into their axes.
bool RootEpilogue::followsRows(Value tensor) {
  if (tensor == root || tensor.getDefiningOp<arith::ConstantOp>() ||
      tensor.getDefiningOp<linalg::FillOp>())
    return true;
  if (std::optional<StridedView> view = body.view(tensor))
    return llvm::ArrayRef(view->strides) ==
           llvm::ArrayRef(body.denseStrides(tensor));
  Operation *op = tensor.getDefiningOp();
  // The root itself behind a view that divides or joins its rows.
  if (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return op->getOperand(0) == root;
  if (op && OpTrait::hasElementwiseMappableTraits(op))
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return followsRows(operand); });
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumParallelLoops() != generic.getNumLoops() ||
      !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0))
           .isIdentity() ||
      !generic.getBody()->getOps<linalg::IndexOp>().empty() ||
      !generic.getBody()->getOps<tensor::ExtractOp>().empty())
    return false;
  for (OpOperand *input : generic.getDpsInputOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(input);
    bool columnsOnly = llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      return expr == getAffineDimExpr(map.getNumDims() - 1, map.getContext()) ||
             isa<AffineConstantExpr>(expr);
    });
    if (columnsOnly && input->get() != root)
      continue;
    if (!map.isIdentity() || !followsRows(input->get()))
      return false;
  }
  return true;
}

void RootEpilogue::startRow(Value row) {
  rowAt.clear();
  if (!leading.empty())
    rowAt = pull.delinearize(pull.uniform(row, false, true), leading);
  else if (rank >= 2) {
    rowAt.assign(rank - 1, pull.constant(0));
    rowAt.back() = pull.uniform(row, false, true);
  }
}

Value RootEpilogue::apply(Value column, Value mask, Value value) {
  llvm::SmallVector<Lanes> at = rowAt;
  at.push_back(pull.ramp(column, 1, /*aligned=*/true));
  pull.newElements();
  pull.substitute(root, pull.fromVector(value));
  return pull.readVector(tensor, at, mask);
}
