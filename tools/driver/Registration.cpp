//===- Registration.cpp - Dialects and passes of Dragoman's tools ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/Registration.h"

#include "compiler/autodiff/Passes.h"
#include "compiler/fusion/Passes.h"
#include "compiler/graph/Passes.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/cpu/Passes.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/tiling/Passes.h"
#include "dialects/check/Check.h"
#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"
#include "frontends/dsl/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

void dragoman::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<xf::XfDialect, plan::PlanDialect, check::CheckDialect,
                  mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                  mlir::ub::UBDialect, mlir::vector::VectorDialect>();
}

void dragoman::registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  autodiff::registerAutodiffPasses();
  dsl::registerDslPasses();
  fusion::registerFusionPasses();
  lowering::registerLoweringCpuPasses();
  lowering::registerLoweringPasses();
  tiling::registerTilingPasses();
  registerPipeline();
  registerDragomanGraphPasses();
}
