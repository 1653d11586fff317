//===- VerifyStage.cpp - Checks the contracts of the stages -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/VerifyMemory.h"
#include "compiler/pipeline/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/places/Slices.h"
#include "compiler/tiling/KernelIdentity.h"
#include "dialects/plan/Plan.h"
#include "dialects/upstream/KernelRoles.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"

namespace dragoman::pipeline {
#define GEN_PASS_DEF_VERIFYSTAGEPASS
#include "compiler/pipeline/Passes.h.inc"
} // namespace dragoman::pipeline

using namespace dragoman;
using mlir::LogicalResult;
using mlir::Operation;

//===----------------------------------------------------------------------===//
// What is allowed
//===----------------------------------------------------------------------===//

/// The closed list of upstream ops on tensors and scalars.
static bool isAllowedUpstream(Operation *op) {
  if (llvm::isa<mlir::arith::ArithDialect, mlir::math::MathDialect>(
          op->getDialect()))
    return true;
  using namespace mlir;
  return llvm::isa<
      tensor::EmptyOp, tensor::DimOp, tensor::CastOp, tensor::ExtractOp,
      tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp,
      tensor::InsertSliceOp, tensor::ConcatOp, tensor::PadOp, tensor::YieldOp,
      tensor::SplatOp, tensor::FromElementsOp, linalg::GenericOp,
      linalg::FillOp, linalg::TransposeOp, linalg::BroadcastOp,
      linalg::ReduceOp, linalg::IndexOp, linalg::YieldOp, scf::IfOp, scf::ForOp,
      scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op);
}

static bool isCompute(Operation *op) {
  return llvm::isa<xf::XfDialect>(op->getDialect()) || isAllowedUpstream(op);
}

static LogicalResult refuse(Operation *op, llvm::StringRef where) {
  return op->emitOpError("is not allowed ") << where;
}

/// Dense constants of more than 1 KiB belong into weights.
static LogicalResult verifyConstant(Operation *op) {
  auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op);
  auto dense =
      constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
               : mlir::DenseElementsAttr();
  if (!dense || dense.isSplat() || dense.getRawData().size() <= 1024)
    return mlir::success();
  return op->emitOpError("expected a constant of at most 1024 bytes, found ")
         << dense.getRawData().size();
}

//===----------------------------------------------------------------------===//
// Stages import and graph
//===----------------------------------------------------------------------===//

/// Every dynamic size of an argument has a name.
static LogicalResult verifyNamedSizes(mlir::func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(
        function.getArgument(i).getType());
    if (type && !type.hasStaticShape() && !function.getArgAttr(i, "xf.dims"))
      return function.emitOpError("expected xf.dims on argument ")
             << i << " of type " << type;
  }
  return mlir::success();
}

static LogicalResult verifyFunction(mlir::func::FuncOp function) {
  if (failed(verifyNamedSizes(function)))
    return mlir::failure();
  mlir::WalkResult result = function.getBody().walk([](Operation *op) {
    bool allowed =
        isCompute(op) || llvm::isa<mlir::func::ReturnOp, plan::LoadOp>(op);
    if (!allowed && failed(refuse(op, "in a function")))
      return mlir::WalkResult::interrupt();
    return mlir::WalkResult(verifyConstant(op));
  });
  return mlir::failure(result.wasInterrupted());
}

/// Weights, states and sites, and initialisers of derived weights, stand in a
/// module at every stage.
static bool isModelSymbol(Operation *op) {
  return llvm::isa<plan::WeightOp, plan::StateOp, plan::SiteOp>(op);
}

static LogicalResult verifyFunctions(mlir::ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (isModelSymbol(&op))
      continue;
    auto function = llvm::dyn_cast<mlir::func::FuncOp>(op);
    if (!function)
      return refuse(&op, "before kernels are formed");
    if (failed(verifyFunction(function)))
      return mlir::failure();
  }
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Stage autodiff
//===----------------------------------------------------------------------===//

/// The training entries stand behind a loss, and read parameters from the
/// state.
static LogicalResult verifyTraining(mlir::ModuleOp module) {
  if (failed(verifyFunctions(module)))
    return mlir::failure();
  auto loss = module.lookupSymbol<mlir::func::FuncOp>("loss");
  if (!loss)
    return mlir::success();
  mlir::SymbolTable symbols(module);
  for (llvm::StringRef name : {"loss", "backward", "update", "step"}) {
    auto entry = symbols.lookup<mlir::func::FuncOp>(name);
    if (!entry)
      return loss.emitOpError("expected @") << name << " beside the loss";
    mlir::WalkResult result = entry.walk([&](plan::LoadOp load) {
      if (!symbols.lookup<plan::WeightOp>(load.getWeight()).getTrainable())
        return mlir::WalkResult::advance();
      return mlir::WalkResult(refuse(load, "of a parameter in training"));
    });
    if (result.wasInterrupted())
      return mlir::failure();
  }
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Stages fusion and tiling
//===----------------------------------------------------------------------===//

/// Sizes of a dispatch's results are the kernel's, in the entry's dimensions.
static void stateResultDims(plan::DispatchOp dispatch,
                            xf::DimAnalysis &analysis) {
  auto kernel = mlir::SymbolTable::lookupNearestSymbolFrom<plan::KernelOp>(
      dispatch, dispatch.getKernelAttr());
  std::map<std::string, DimExpr> values;
  for (auto [name, text] :
       llvm::zip(kernel.getDims().getAsRange<mlir::StringAttr>(),
                 dispatch.getDims().getAsRange<mlir::StringAttr>()))
    if (Result<DimExpr> dim = DimExpr::parse(text.str()))
      values.insert_or_assign(name.str(), *dim);
  for (mlir::OpResult result : dispatch->getResults()) {
    auto stated = kernel.getResultAttrOfType<mlir::ArrayAttr>(
        result.getResultNumber(), "xf.dims");
    if (!stated)
      continue;
    llvm::SmallVector<DimExpr> shape = xf::dimsFromAttr(stated);
    for (DimExpr &dim : shape)
      dim = dim.substitute(
          [&](const std::string &name) -> std::optional<DimExpr> {
            auto known = values.find(name);
            return known == values.end() ? std::nullopt
                                         : std::optional(known->second);
          });
    analysis.setDims(result, shape);
  }
}

static LogicalResult verifyEntryOnValues(plan::EntryOp entry) {
  xf::DimAnalysis analysis;
  mlir::WalkResult result = entry.getBody().walk([&](Operation *op) {
    if (auto dispatch = llvm::dyn_cast<plan::DispatchOp>(op))
      stateResultDims(dispatch, analysis);
    bool allowed =
        llvm::isa<plan::DispatchOp, plan::LoadOp, plan::ReturnOp, plan::CheckOp,
                  plan::LoopOp, plan::NextOp, mlir::tensor::EmptyOp>(op) ||
        isView(op) || isShapeArithmetic(op) || denseSliceStart(op, analysis) ||
        isJoin(op);
    return allowed ? mlir::WalkResult::advance()
                   : mlir::WalkResult(refuse(op, "in an entry"));
  });
  return mlir::failure(result.wasInterrupted());
}

static LogicalResult verifyKernel(plan::KernelOp kernel) {
  Operation *root = nullptr;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    std::optional<xf::KernelRole> role = kernelRoleOf(&op);
    if (!role || !isRootRole(*role))
      continue;
    if (root)
      return op.emitOpError("expected one root in a kernel, found a second "
                            "beside ")
             << root->getName();
    root = &op;
  }
  mlir::WalkResult result = kernel.getBody().walk([](Operation *op) {
    if (!isCompute(op) && !llvm::isa<plan::YieldOp>(op))
      return mlir::WalkResult(refuse(op, "in a kernel"));
    return mlir::WalkResult(verifyConstant(op));
  });
  return mlir::failure(result.wasInterrupted());
}

static LogicalResult verifyKernels(mlir::ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (isModelSymbol(&op))
      continue;
    if (auto function = llvm::dyn_cast<mlir::func::FuncOp>(op)) {
      if (!function.isPrivate())
        return refuse(&op, "behind the forming of kernels, but for "
                           "initialisers of weights");
      continue;
    }
    if (auto kernel = llvm::dyn_cast<plan::KernelOp>(op)) {
      if (failed(verifyKernel(kernel)))
        return mlir::failure();
      continue;
    }
    if (!llvm::isa<plan::EntryOp>(op))
      return refuse(&op, "behind the forming of kernels");
  }
  return mlir::success();
}

static LogicalResult verifyFusion(mlir::ModuleOp module) {
  if (failed(verifyKernels(module)))
    return mlir::failure();
  for (auto entry : module.getOps<plan::EntryOp>())
    if (failed(verifyEntryOnValues(entry)))
      return mlir::failure();
  return mlir::success();
}

static LogicalResult verifySchedules(mlir::ModuleOp module) {
  llvm::StringMap<plan::KernelOp> known;
  for (auto kernel : module.getOps<plan::KernelOp>()) {
    if (!kernel.getSchedule() || !kernel.getTiles())
      return kernel.emitOpError("expected a schedule and a number of tiles");
    auto [entry, isNew] = known.try_emplace(kernelIdentity(kernel), kernel);
    if (!isNew)
      return kernel.emitOpError("expected kernels to differ, found one equal "
                                "to @")
             << entry->second.getSymName();
  }
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Stage lowering
//===----------------------------------------------------------------------===//

/// A dispatch passes one slot per argument and per result that aliases none.
static LogicalResult verifySlots(plan::DispatchOp dispatch,
                                 plan::KernelOp kernel) {
  size_t expected = kernel.getNumArguments();
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    if (!kernel.getResultAttr(i, "plan.alias"))
      ++expected;
  if (dispatch.getNumOperands() == expected && dispatch.getNumResults() == 0)
    return mlir::success();
  return dispatch.emitOpError("expected ")
         << expected << " slots and no results, found "
         << dispatch.getNumOperands() << " and " << dispatch.getNumResults();
}

static LogicalResult verifyOnSlots(Operation *op, mlir::SymbolTable &symbols) {
  if (!llvm::isa<plan::SlotOp, plan::PartOp, plan::DispatchOp, plan::CopyOp,
                 plan::FillOp, plan::CheckOp, plan::LoopOp, plan::NextOp,
                 plan::ReturnOp>(op))
    return refuse(op, "in an entry on slots");
  for (mlir::Value operand : op->getOperands())
    if (!llvm::isa<plan::SlotType>(operand.getType()))
      return op->emitOpError("expected slots, found ") << operand.getType();
  auto dispatch = llvm::dyn_cast<plan::DispatchOp>(op);
  return dispatch
             ? verifySlots(dispatch,
                           symbols.lookup<plan::KernelOp>(dispatch.getKernel()))
             : mlir::success();
}

static LogicalResult verifyEntryOnSlots(plan::EntryOp entry,
                                        mlir::SymbolTable &symbols) {
  if (!entry.getArena())
    return entry.emitOpError("expected the size of the arena");
  mlir::WalkResult result = entry.getBody().walk([&](Operation *op) {
    return mlir::WalkResult(verifyOnSlots(op, symbols));
  });
  if (result.wasInterrupted())
    return mlir::failure();
  return verifyMemory(entry, symbols);
}

static LogicalResult verifyLowering(mlir::ModuleOp module) {
  if (failed(verifyKernels(module)) || failed(verifySchedules(module)))
    return mlir::failure();
  mlir::SymbolTable symbols(module);
  for (auto entry : module.getOps<plan::EntryOp>())
    if (failed(verifyEntryOnSlots(entry, symbols)))
      return mlir::failure();
  return mlir::success();
}

LogicalResult dragoman::verifyStage(mlir::ModuleOp module, Stage stage) {
  switch (stage) {
  case Stage::Import:
  case Stage::Graph:
    return verifyFunctions(module);
  case Stage::Autodiff:
    return verifyTraining(module);
  case Stage::Fusion:
    return verifyFusion(module);
  case Stage::Tiling:
    if (failed(verifyFusion(module)))
      return mlir::failure();
    return verifySchedules(module);
  case Stage::Lowering:
    return verifyLowering(module);
  }
  llvm_unreachable("every stage has a contract");
}

namespace {

struct VerifyStagePass : pipeline::impl::VerifyStagePassBase<VerifyStagePass> {
  using VerifyStagePassBase::VerifyStagePassBase;

  void runOnOperation() override {
    std::optional<Stage> known = parseStage(stage);
    if (!known) {
      getOperation().emitError("expected a stage of ")
          << stageNames() << ", found '" << stage.getValue() << "'";
      return signalPassFailure();
    }
    if (failed(verifyStage(getOperation(), *known)))
      signalPassFailure();
  }
};

} // namespace
