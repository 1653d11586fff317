//===- KernelRoles.cpp - The role in kernels of any allowed op --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/upstream/KernelRoles.h"

#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using xf::KernelRole;

std::optional<KernelRole> dragoman::kernelRoleOf(mlir::Operation *op) {
  if (auto kernelOp = llvm::dyn_cast<xf::KernelOpInterface>(op))
    return kernelOp.kernelRole();
  if (llvm::isa<mlir::linalg::FillOp, mlir::linalg::TransposeOp,
                mlir::linalg::BroadcastOp>(op))
    return KernelRole::Movement;
  if (auto linalgOp = llvm::dyn_cast<mlir::linalg::LinalgOp>(op))
    return linalgOp.getNumParallelLoops() == linalgOp.getNumLoops()
               ? KernelRole::Elementwise
               : KernelRole::Reduction;
  using namespace mlir::tensor;
  if (llvm::isa<CastOp, CollapseShapeOp, ConcatOp, ExpandShapeOp,
                ExtractSliceOp, InsertSliceOp, PadOp, SplatOp, FromElementsOp>(
          op))
    return KernelRole::Movement;
  if (op->hasTrait<mlir::OpTrait::ConstantLike>())
    return std::nullopt;
  bool onTensors =
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<mlir::RankedTensorType>);
  if (onTensors && op->hasTrait<mlir::OpTrait::Elementwise>())
    return KernelRole::Elementwise;
  return std::nullopt;
}

std::optional<unsigned> dragoman::mayAlias(mlir::OpResult result) {
  auto op = llvm::dyn_cast<xf::KernelOpInterface>(result.getOwner());
  return op ? op.mayAlias(result.getResultNumber()) : std::nullopt;
}

bool dragoman::writesOnce(mlir::Operation *root) {
  return llvm::isa<xf::MatmulOp>(root);
}

bool dragoman::isRootRole(KernelRole role) {
  return role != KernelRole::Elementwise && role != KernelRole::Movement;
}

bool dragoman::isView(mlir::Operation *op) {
  return llvm::isa<mlir::tensor::CastOp, mlir::tensor::CollapseShapeOp,
                   mlir::tensor::ExpandShapeOp>(op);
}

bool dragoman::isShapeArithmetic(mlir::Operation *op) {
  if (llvm::isa<mlir::tensor::DimOp>(op))
    return true;
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         op->getResult(0).getType().isIntOrIndex() &&
         llvm::isa<mlir::arith::ArithDialect>(op->getDialect());
}
