//===- BreakPasses.cpp - Planted wrong rewrites ---------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/lib/BreakPasses.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dragoman::test {

namespace {

/// A module pass of a name, a summary and a function.
class BreakPass
    : public mlir::PassWrapper<BreakPass, mlir::OperationPass<mlir::ModuleOp>> {
public:
  using Function = void (*)(mlir::ModuleOp);
  BreakPass(llvm::StringRef name, llvm::StringRef summary, Function function)
      : name(name), summary(summary), function(function) {}

  llvm::StringRef getArgument() const override { return name; }
  llvm::StringRef getDescription() const override { return summary; }
  llvm::StringRef getName() const override { return name; }
  void runOnOperation() override { function(getOperation()); }

private:
  llvm::StringRef name, summary;
  Function function;
};

/// Calls `change` on the first op of a kind that it takes.
template <typename OpT>
void changeFirst(mlir::ModuleOp module, llvm::function_ref<bool(OpT)> change) {
  module.walk([&](OpT op) {
    return change(op) ? mlir::WalkResult::interrupt()
                      : mlir::WalkResult::advance();
  });
}

void forgetBias(mlir::ModuleOp module) {
  changeFirst<xf::LinearOp>(module, [](xf::LinearOp op) {
    if (!op.getB())
      return false;
    op.getBMutable().clear();
    return true;
  });
}

void forgetKeyCount(mlir::ModuleOp module) {
  changeFirst<xf::AttentionOp>(module, [](xf::AttentionOp op) {
    if (!op.getKeyCount())
      return false;
    op.getKeyCountMutable().clear();
    return true;
  });
}

void readSliceTwice(mlir::ModuleOp module) {
  changeFirst<mlir::tensor::ExtractSliceOp>(
      module, [](mlir::tensor::ExtractSliceOp first) {
        for (mlir::Operation *user : first.getSource().getUsers()) {
          auto second = llvm::dyn_cast<mlir::tensor::ExtractSliceOp>(user);
          if (!second || second == first ||
              second.getType() != first.getType() ||
              second.getMixedOffsets() == first.getMixedOffsets())
            continue;
          second.getResult().replaceAllUsesWith(first.getResult());
          second.erase();
          return true;
        }
        return false;
      });
}

void subtractInKernel(mlir::ModuleOp module) {
  changeFirst<mlir::arith::AddFOp>(module, [](mlir::arith::AddFOp op) {
    if (!op->getParentOfType<plan::KernelOp>())
      return false;
    mlir::OpBuilder builder(op);
    op.replaceAllUsesWith(mlir::arith::SubFOp::create(builder, op.getLoc(),
                                                      op.getLhs(), op.getRhs())
                              .getResult());
    op.erase();
    return true;
  });
}

void dropUnusedArguments(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::func::FuncOp>())
    for (unsigned number = function.getNumArguments(); number-- > 0;)
      if (function.getArgument(number).use_empty())
        (void)function.eraseArgument(number);
}

void registerBreak(llvm::StringRef name, llvm::StringRef summary,
                   BreakPass::Function function) {
  mlir::registerPass([=]() -> std::unique_ptr<mlir::Pass> {
    return std::make_unique<BreakPass>(name, summary, function);
  });
}

} // namespace

void registerBreakPasses() {
  registerBreak("test-break-raise-linear", "forgets the bias of a linear",
                forgetBias);
  registerBreak("test-break-raise-masks",
                "forgets the key count of an attention", forgetKeyCount);
  registerBreak("test-break-merge-siblings",
                "reads one slice of a merged linear twice", readSliceTwice);
  registerBreak("test-break-signature",
                "drops the arguments that a function does not use",
                dropUnusedArguments);
  registerBreak("test-break-form-kernels", "subtracts where a kernel adds",
                subtractInKernel);
}

} // namespace dragoman::test
