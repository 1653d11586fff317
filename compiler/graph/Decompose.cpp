//===- Decompose.cpp - Rebuilds xf ops from simpler ops -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/Passes.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/ops/AttentionForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace dragoman {

#define GEN_PASS_DEF_XFDECOMPOSE
#include "compiler/graph/Passes.h.inc"

namespace {

/// True for what no kernel root and no pulled producer of the CPU computes.
bool lacksKernel(mlir::Operation *op) {
  if (auto attention = llvm::dyn_cast<xf::AttentionOp>(op))
    return !attention.getProb().empty();
  if (auto grad = llvm::dyn_cast<xf::AttentionGradOp>(op))
    return !xf::hasKernel(grad);
  // Only weights of the model can be packed before it runs.
  if (auto linear = llvm::dyn_cast<xf::LinearOp>(op))
    return !linear.getW().getDefiningOp<plan::LoadOp>();
  return llvm::isa<xf::AttentionWeightsOp, xf::CacheReorderOp,
                   xf::CrossEntropyOp, xf::GlobalNormOp,
                   xf::LinearCrossEntropyOp, xf::LinearCrossEntropyGradOp,
                   xf::RotaryOp>(op);
}

class DecomposePass : public impl::XfDecomposeBase<DecomposePass> {
public:
  using XfDecomposeBase::XfDecomposeBase;

  void runOnOperation() override {
    bool changed = true;
    while (changed) {
      llvm::SmallVector<xf::DecomposableOpInterface> found;
      getOperation()->walk([&](xf::DecomposableOpInterface op) {
        if (wanted(op))
          found.push_back(op);
      });
      changed = !found.empty();
      for (xf::DecomposableOpInterface op : found)
        if (mlir::failed(replace(op)))
          return signalPassFailure();
    }
    // Parts of results that nobody reads, such as the lse of attention.
    mlir::IRRewriter rewriter(&getContext());
    (void)mlir::runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  bool wanted(mlir::Operation *op) {
    if (withoutKernel && !lacksKernel(op))
      return false;
    llvm::StringRef name = op->getName().stripDialect();
    return ops.empty() || llvm::is_contained(ops, name.str());
  }

  mlir::LogicalResult replace(xf::DecomposableOpInterface op) {
    mlir::OpBuilder builder(op);
    llvm::FailureOr<llvm::SmallVector<mlir::Value>> values =
        op.decompose(builder);
    if (mlir::failed(values))
      return mlir::failure();
    op->replaceAllUsesWith(*values);
    op->erase();
    return mlir::success();
  }
};

} // namespace
} // namespace dragoman
