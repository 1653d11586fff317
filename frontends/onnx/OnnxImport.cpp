//===- OnnxImport.cpp - From an ONNX file to a module -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/OnnxImport.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"
#include "frontends/onnx/FunctionImport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

using namespace dragoman;

void onnx::loadDialects(mlir::MLIRContext &context) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                      mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                      mlir::tensor::TensorDialect, plan::PlanDialect,
                      xf::XfDialect>();
}

mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
onnx::importOnnxFile(const std::string &path, mlir::MLIRContext &context) {
  loadDialects(context);
  ModuleImport module(context);
  const Model *model = module.load(path);
  if (!model)
    return mlir::failure();
  FunctionOptions options;
  if (failed(FunctionImport(module, *model, options).run()) ||
      failed(mlir::verify(module.get())))
    return mlir::failure();
  return module.take();
}
