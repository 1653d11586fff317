//===- LowerCpu.cpp - The pass lower-cpu ----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/Lowering.h"
#include "compiler/lowering/cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace dragoman::lowering {
#define GEN_PASS_DEF_LOWERCPUPASS
#include "compiler/lowering/cpu/Passes.h.inc"
} // namespace dragoman::lowering

using namespace mlir;
using namespace dragoman;

namespace {

struct LowerCpuPass : lowering::impl::LowerCpuPassBase<LowerCpuPass> {
  using LowerCpuPassBase::LowerCpuPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                    math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Result<CpuTarget> target = CpuTarget::parse(level);
    if (!target) {
      module.emitError(target.status().message());
      return signalPassFailure();
    }
    OwningOpRef<ModuleOp> code = lowerAllKernels(module, *target);
    if (!code)
      return signalPassFailure();
    module.getBodyRegion().takeBody(code->getBodyRegion());
  }
};

} // namespace
