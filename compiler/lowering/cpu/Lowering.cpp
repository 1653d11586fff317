//===- Lowering.cpp - Kernels from tensors to loops on the CPU ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/Lowering.h"

#include "compiler/lowering/cpu/AttentionGradKernel.h"
#include "compiler/lowering/cpu/AttentionKernel.h"
#include "compiler/lowering/cpu/CacheAppendKernel.h"
#include "compiler/lowering/cpu/CheckKernel.h"
#include "compiler/lowering/cpu/CrossEntropyKernel.h"
#include "compiler/lowering/cpu/ElementwiseKernel.h"
#include "compiler/lowering/cpu/EmbeddingGradKernel.h"
#include "compiler/lowering/cpu/NormGradKernel.h"
#include "compiler/lowering/cpu/OptimizerKernel.h"
#include "compiler/lowering/cpu/ReduceKernel.h"
#include "compiler/lowering/cpu/RowwiseKernel.h"
#include "compiler/lowering/cpu/SelectKernel.h"

using namespace mlir;
using namespace dragoman;

/// The function of a root, by its name in the schedule; null if there is none.
static KernelLowering *lowerFunction(llvm::StringRef root) {
  static constexpr std::pair<llvm::StringLiteral, KernelLowering *> table[] = {
      {"adadelta", lowerOptimizer},
      {"adagrad", lowerOptimizer},
      {"adam", lowerOptimizer},
      {"attention", lowerAttention},
      {"attention_grad", lowerAttentionGrad},
      {"cache_append", lowerCacheAppend},
      {"check", lowerCheck},
      {"cross_entropy_grad", lowerCrossEntropy},
      {"elementwise", lowerElementwise},
      {"embedding_grad", lowerEmbeddingGrad},
      {"layer_norm", lowerRowwise},
      {"layer_norm_grad", lowerNormGrad},
      {"linear", lowerLinear},
      {"log_softmax", lowerRowwise},
      {"matmul", lowerMatmul},
      {"reduce", lowerReduce},
      {"rms_norm", lowerRowwise},
      {"rms_norm_grad", lowerNormGrad},
      {"select", lowerSelect},
      {"sgd", lowerOptimizer},
      {"softmax", lowerRowwise},
      {"top_k", lowerTopK},
  };
  for (auto [name, function] : table)
    if (name == root)
      return function;
  return nullptr;
}

LogicalResult dragoman::lowerKernel(plan::KernelOp kernel, ModuleOp code,
                                    const CpuTarget &target) {
  plan::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule)
    return kernel.emitOpError("expected a schedule before lowering");
  KernelLowering *function = lowerFunction(schedule.getRoot().getValue());
  if (!function)
    return kernel.emitOpError("has no lowering on the CPU for root '")
           << schedule.getRoot().getValue() << "'";
  KernelBuilder k(code, kernel.getSymName(), target);
  LogicalResult result = function(kernel, k);
  k.finish();
  return result;
}

OwningOpRef<ModuleOp> dragoman::lowerAllKernels(ModuleOp module,
                                                const CpuTarget &target) {
  OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
  bool complete = true; // all failures are reported, not the first alone
  for (plan::KernelOp kernel : module.getOps<plan::KernelOp>())
    complete &= succeeded(lowerKernel(kernel, *code, target));
  return complete ? std::move(code) : nullptr;
}
