//===- Schedule.cpp - The table of schedules by root -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Schedule.h"

#include "dialects/upstream/KernelRoles.h"
#include "dialects/xf/DimAnalysis.h"
#include "dialects/xf/Xf.h"

#include "mlir/IR/Builders.h"

using namespace dragoman;

mlir::Operation *dragoman::kernelRoot(plan::KernelOp kernel) {
  mlir::Block &body = kernel.getBody().front();
  for (mlir::Operation &op : body) {
    std::optional<xf::KernelRole> role = kernelRoleOf(&op);
    if (role && isRootRole(*role))
      return &op;
  }
  // A kernel that moves elements into a state is built around the update.
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (auto result = llvm::dyn_cast<mlir::OpResult>(value);
        result && kernel.getResultAttr(i, "plan.alias") && mayAlias(result))
      return result.getOwner();
  return nullptr;
}

llvm::StringRef dragoman::kernelRootName(plan::KernelOp kernel) {
  mlir::Operation *root = kernelRoot(kernel);
  if (!root)
    return "elementwise";
  return llvm::isa<xf::XfDialect>(root->getDialect())
             ? root->getName().stripDialect()
             : "reduce";
}

plan::ScheduleAttr dragoman::makeSchedule(
    plan::KernelOp kernel,
    std::initializer_list<std::pair<llvm::StringRef, int64_t>> params) {
  mlir::Builder builder(kernel.getContext());
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  for (auto [name, value] : params)
    attributes.push_back(
        builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
  return plan::ScheduleAttr::get(kernel.getContext(),
                                 builder.getStringAttr(kernelRootName(kernel)),
                                 builder.getDictionaryAttr(attributes));
}

DimExpr dragoman::rowCount(mlir::Value tensor, unsigned inner) {
  xf::DimAnalysis analysis;
  llvm::SmallVector<DimExpr> dims = analysis.dimsOf(tensor);
  DimExpr rows(1);
  for (const DimExpr &dim : llvm::ArrayRef(dims).drop_back(inner))
    rows *= dim;
  return rows;
}

DimExpr dragoman::axisSize(mlir::Value tensor, unsigned axis) {
  xf::DimAnalysis analysis;
  return analysis.dimOf(tensor, axis);
}

llvm::FailureOr<KernelSchedule>
dragoman::scheduleKernel(plan::KernelOp kernel, const TargetInfo &target) {
  static constexpr std::pair<llvm::StringLiteral, ScheduleFunction *> table[] =
      {
          {"adadelta", scheduleOptimizer},
          {"adagrad", scheduleOptimizer},
          {"adam", scheduleOptimizer},
          {"attention", scheduleAttention},
          {"attention_grad", scheduleAttentionGrad},
          {"cache_append", scheduleCacheAppend},
          {"check", scheduleCheck},
          {"cross_entropy_grad", scheduleCrossEntropy},
          {"elementwise", scheduleElementwise},
          {"embedding_grad", scheduleEmbeddingGrad},
          {"layer_norm", scheduleRowwise},
          {"layer_norm_grad", scheduleNormGrad},
          {"linear", scheduleLinear},
          {"log_softmax", scheduleRowwise},
          {"matmul", scheduleMatmul},
          {"reduce", scheduleReduce},
          {"rms_norm", scheduleRowwise},
          {"rms_norm_grad", scheduleNormGrad},
          {"select", scheduleSelect},
          {"sgd", scheduleOptimizer},
          {"softmax", scheduleRowwise},
          {"top_k", scheduleTopK},
      };
  llvm::StringRef name = kernelRootName(kernel);
  for (auto [root, function] : table)
    if (name == root)
      return function(kernel, kernelRoot(kernel), target);
  return kernel.emitOpError("expected a root with a schedule, found ")
         << kernelRoot(kernel)->getName();
}
