//===- LowerToLLVM.cpp - From kernel dialects to the LLVM dialect ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/LowerToLLVM.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace dragoman;

/// Ops of the kernel dialects that would call out or allocate.
static bool isRefused(Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  llvm::StringRef dialect = name.split('.').first;
  static const llvm::StringSet<> dialects = {
      "arith", "builtin", "cf",  "func",   "index", "llvm",
      "math",  "memref",  "scf", "vector", "ub"};
  static const llvm::StringSet<> math = {
      "math.absf", "math.absi",      "math.ceil", "math.copysign",
      "math.ctlz", "math.ctpop",     "math.cttz", "math.floor",
      "math.fma",  "math.roundeven", "math.sqrt", "math.trunc"};
  static const llvm::StringSet<> memory = {
      "memref.alloc",      "memref.alloca", "memref.copy",   "memref.dealloc",
      "memref.get_global", "memref.global", "memref.realloc"};
  if (!dialects.contains(dialect))
    return true;
  if (dialect == "math")
    return !math.contains(name);
  return memory.contains(name);
}

LogicalResult dragoman::verifyKernels(ModuleOp module) {
  WalkResult walk = module.walk([&](Operation *op) -> WalkResult {
    if (isRefused(op))
      return op->emitOpError("is not allowed in a CPU kernel");
    auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
    if (flags && flags.getFastMathFlagsAttr() &&
        flags.getFastMathFlagsAttr().getValue() != arith::FastMathFlags::none)
      return op->emitOpError("expected no fast-math flags in a CPU kernel, "
                             "found ")
             << arith::stringifyFastMathFlags(
                    flags.getFastMathFlagsAttr().getValue());
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

namespace {

/// One conversion for all kernel dialects: a pattern set is walked once, where
/// a pass per dialect would walk the module seven times.
struct ConvertKernelsPass
    : PassWrapper<ConvertKernelsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertKernelsPass)

  llvm::StringRef getArgument() const override {
    return "convert-kernels-to-llvm";
  }

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

LogicalResult dragoman::lowerKernelsToLLVM(ModuleOp module) {
  if (failed(verifyKernels(module)))
    return failure();
  PassManager passes(module.getContext());
  passes.enableVerifier(true);
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(std::make_unique<ConvertKernelsPass>());
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCSEPass());
  return passes.run(module);
}
