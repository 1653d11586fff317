//===- HoistWeights.cpp - xf-hoist-weights ----------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/Passes.h"
#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace dragoman {
#define GEN_PASS_DEF_XFHOISTWEIGHTS
#include "compiler/graph/Passes.h.inc"
} // namespace dragoman

using namespace dragoman;
using mlir::Value;

/// Values of at most this size stay constants.
static constexpr int64_t smallBytes = 1024;

/// True if the value is a static tensor above the constant limit.
static bool isLargeTensor(Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() &&
         type.getElementType().isIntOrFloat() &&
         type.getNumElements() * type.getElementTypeBitWidth() / 8 > smallBytes;
}

/// True if the value is the weight of a linear layer, which kernels read packed
/// by the compiler: it has to be a weight, however small.
static bool isLinearWeight(Value value) {
  return llvm::any_of(value.getUses(), [](mlir::OpOperand &use) {
    auto linear = llvm::dyn_cast<xf::LinearOp>(use.getOwner());
    return linear && &linear.getWMutable() == &use;
  });
}

static bool isParameter(plan::LoadOp load, mlir::SymbolTable &symbols) {
  auto weight = symbols.lookup<plan::WeightOp>(load.getWeight());
  return weight && weight.getTrainable();
}

namespace {
struct XfHoistWeightsPass : impl::XfHoistWeightsBase<XfHoistWeightsPass> {
  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    llvm::SmallVector<mlir::func::FuncOp> functions(
        getOperation().getOps<mlir::func::FuncOp>());
    for (mlir::func::FuncOp function : functions)
      if (!function.isPrivate() && !function.isExternal())
        hoist(function, symbols);
  }

private:
  void hoist(mlir::func::FuncOp function, mlir::SymbolTable &symbols) {
    // Parameters change from step to step: nothing follows from them for good.
    bool training = function.getSymName() == "loss";
    llvm::DenseSet<Value> weightOnly, fromWeight;
    llvm::SmallVector<Value> roots;
    for (mlir::Operation &op : function.getBody().front()) {
      if (!mlir::isPure(&op) || op.getNumResults() != 1)
        continue;
      bool load = llvm::isa<plan::LoadOp>(op);
      if (load && training &&
          isParameter(llvm::cast<plan::LoadOp>(op), symbols))
        continue;
      if (!load && (op.hasTrait<mlir::OpTrait::IsTerminator>() ||
                    !llvm::all_of(op.getOperands(), [&](Value operand) {
                      return weightOnly.contains(operand);
                    })))
        continue;
      if (!load && capturesOthers(op, weightOnly))
        continue;
      weightOnly.insert(op.getResult(0));
      if (load || llvm::any_of(op.getOperands(), [&](Value operand) {
            return fromWeight.contains(operand);
          }))
        fromWeight.insert(op.getResult(0));
    }
    for (mlir::Operation &op : function.getBody().front()) {
      if (op.getNumResults() != 1 || llvm::isa<plan::LoadOp>(op))
        continue;
      Value value = op.getResult(0);
      if (fromWeight.contains(value) &&
          (isLargeTensor(value) || isLinearWeight(value)) &&
          llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
            return user->getNumResults() != 1 ||
                   !weightOnly.contains(user->getResult(0));
          }))
        roots.push_back(value);
    }
    for (Value root : roots)
      outline(root, symbols);
  }

  /// True if a region of `op` reads a value outside that is not weight-only.
  static bool capturesOthers(mlir::Operation &op,
                             const llvm::DenseSet<Value> &weightOnly) {
    bool found = false;
    op.walk([&](mlir::Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentRegion() == op.getParentRegion() &&
            !weightOnly.contains(operand))
          found = true;
    });
    return found;
  }

  void outline(Value root, mlir::SymbolTable &symbols) {
    llvm::SetVector<mlir::Operation *> slice;
    collect(root.getDefiningOp(), slice);
    mlir::OpBuilder builder(&getContext());
    auto type = builder.getFunctionType({}, {root.getType()});
    auto init = mlir::func::FuncOp::create(root.getLoc(), "init", type);
    init.setPrivate();
    builder.setInsertionPointToStart(init.addEntryBlock());
    mlir::IRMapping mapping;
    for (mlir::Operation *op : slice)
      builder.clone(*op, mapping);
    mlir::func::ReturnOp::create(builder, root.getLoc(), mapping.lookup(root));

    std::string text;
    llvm::raw_string_ostream stream(text);
    init.getBody().front().print(stream);
    plan::WeightOp &weight = known[text];
    if (weight) {
      init.erase();
    } else {
      symbols.insert(init, getOperation().getBody()->begin());
      builder.setInsertionPoint(init);
      weight = plan::WeightOp::create(
          builder, root.getLoc(), builder.getStringAttr(nameOf(slice)),
          mlir::TypeAttr::get(root.getType()), mlir::Attribute(),
          mlir::FlatSymbolRefAttr::get(init.getSymNameAttr()),
          builder.getStringAttr("rows"));
      symbols.insert(weight);
    }
    builder.setInsertionPointAfterValue(root);
    Value load = plan::LoadOp::create(
        builder, root.getLoc(), root.getType(),
        mlir::FlatSymbolRefAttr::get(weight.getSymNameAttr()));
    root.replaceAllUsesExcept(load, llvm::SmallPtrSet<mlir::Operation *, 8>(
                                        slice.begin(), slice.end()));
  }

  /// `op` and what it follows from, in the order of the block.
  static void collect(mlir::Operation *op,
                      llvm::SetVector<mlir::Operation *> &slice) {
    if (slice.contains(op))
      return;
    op->walk([&](mlir::Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentRegion() == op->getParentRegion())
          collect(operand.getDefiningOp(), slice);
    });
    slice.insert(op);
  }

  /// "<first loaded weight>.derived".
  static std::string nameOf(const llvm::SetVector<mlir::Operation *> &slice) {
    for (mlir::Operation *op : slice)
      if (auto load = llvm::dyn_cast<plan::LoadOp>(op))
        return (load.getWeight() + ".derived").str();
    return "derived";
  }

  /// Weight by the text of its computation.
  std::map<std::string, plan::WeightOp> known;
};
} // namespace
