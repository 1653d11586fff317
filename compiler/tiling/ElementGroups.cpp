//===- ElementGroups.cpp - Walks over a kernel's results ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/ElementGroups.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace dragoman;

static constexpr int64_t lanes = 16;

DimExpr ElementGroup::columns() const {
  return dims.empty() ? DimExpr(1) : dims[laneAxis];
}

DimExpr ElementGroup::rows() const {
  DimExpr product(1);
  for (auto [axis, dim] : llvm::enumerate(dims))
    if (axis != laneAxis)
      product *= dim;
  return product;
}

DimExpr ElementGroup::tiles() const {
  return DimExpr::ceilDiv(rows(), tileRows) *
         DimExpr::ceilDiv(columns(), tileColumns);
}

/// Undoes reshapes: they keep the order of elements in memory.
static Value withoutReshapes(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
            op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

static void setTile(ElementGroup &group, int64_t elements) {
  std::optional<int64_t> columns = group.columns().constant();
  if (!columns) {
    group.tileRows = lanes;
    group.tileColumns = std::max(elements / 4 / lanes * lanes, lanes);
    return;
  }
  int64_t width = (std::max<int64_t>(*columns, 1) + lanes - 1) / lanes * lanes;
  group.tileColumns = std::min(width, elements / lanes * lanes);
  group.tileRows = std::max<int64_t>(elements / group.tileColumns, 1);
}

llvm::SmallVector<ElementGroup>
dragoman::elementGroups(plan::KernelOp kernel, xf::DimAnalysis &analysis,
                        int64_t elements) {
  llvm::SmallVector<ElementGroup> groups;
  Operation *yield = kernel.getBody().front().getTerminator();
  for (auto [result, value] : llvm::enumerate(yield->getOperands())) {
    Value source = withoutReshapes(value);
    ElementGroup group;
    group.dims = analysis.dimsOf(source);
    for (auto [axis, dim] : llvm::enumerate(group.dims))
      if (!dim.isConstant(1))
        group.laneAxis = axis;
    setTile(group, elements);
    auto found = llvm::find_if(groups, [&](const ElementGroup &other) {
      return other.dims == group.dims;
    });
    if (found == groups.end()) {
      groups.push_back(group);
      found = std::prev(groups.end());
    }
    found->results.push_back({static_cast<unsigned>(result), source});
  }
  return groups;
}
