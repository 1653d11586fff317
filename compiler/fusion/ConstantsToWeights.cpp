//===- ConstantsToWeights.cpp - Constants that a root reads as weights ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/fusion/Passes.h"
#include "dialects/plan/Plan.h"
#include "dialects/upstream/KernelRoles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dragoman::fusion {
#define GEN_PASS_DEF_CONSTANTSTOWEIGHTSPASS
#include "compiler/fusion/Passes.h.inc"
} // namespace dragoman::fusion

using namespace dragoman;
using mlir::Operation;
using mlir::OpOperand;

namespace {

struct ConstantsToWeightsPass
    : fusion::impl::ConstantsToWeightsPassBase<ConstantsToWeightsPass> {
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<plan::PlanDialect, mlir::arith::ArithDialect,
                    mlir::func::FuncDialect>();
  }

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    weights.clear();
    for (auto function :
         llvm::to_vector(getOperation().getOps<mlir::func::FuncOp>())) {
      if (function.isPrivate())
        continue;
      for (Operation &op : function.getBody().front()) {
        std::optional<xf::KernelRole> role = kernelRoleOf(&op);
        bool isReturn = llvm::isa<mlir::func::ReturnOp>(op);
        if (!isReturn && (!role || !isRootRole(*role)))
          continue;
        for (OpOperand &operand : op.getOpOperands())
          replace(operand, isReturn ? 0 : 1, symbols, function);
      }
    }
  }

private:
  /// Loads the operand from a weight if it is a constant of `rank` or more.
  void replace(OpOperand &operand, int64_t rank, mlir::SymbolTable &symbols,
               mlir::func::FuncOp function) {
    auto constant = operand.get().getDefiningOp<mlir::arith::ConstantOp>();
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.get().getType());
    if (!constant || !type || type.getRank() < rank)
      return;
    plan::WeightOp &weight = weights[constant.getValue()];
    if (!weight)
      weight = makeWeight(constant, type, symbols, function);
    mlir::OpBuilder builder(operand.getOwner());
    operand.set(plan::LoadOp::create(builder, constant.getLoc(), type,
                                     weight.getSymName()));
    if (constant->use_empty())
      constant->erase();
  }

  plan::WeightOp makeWeight(mlir::arith::ConstantOp constant,
                            mlir::RankedTensorType type,
                            mlir::SymbolTable &symbols,
                            mlir::func::FuncOp function) {
    mlir::ImplicitLocOpBuilder b(constant.getLoc(), &getContext());
    std::string name = "constant_" + std::to_string(weights.size() - 1);
    auto init = mlir::func::FuncOp::create(b, name + ".init",
                                           b.getFunctionType({}, {type}));
    init.setPrivate();
    symbols.insert(init, function->getIterator());
    b.setInsertionPointToStart(init.addEntryBlock());
    mlir::Value value = mlir::arith::ConstantOp::create(b, constant.getValue());
    mlir::func::ReturnOp::create(b, value);
    b.clearInsertionPoint();
    auto weight = plan::WeightOp::create(
        b, name, type, mlir::Attribute(),
        mlir::FlatSymbolRefAttr::get(init.getNameAttr()));
    symbols.insert(weight, function->getIterator());
    return weight;
  }

  llvm::DenseMap<mlir::Attribute, plan::WeightOp> weights;
};

} // namespace
