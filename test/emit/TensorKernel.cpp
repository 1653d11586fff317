//===- TensorKernel.cpp - Kernels from their tensor form, in tests --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/emit/TensorKernel.h"

#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace dragoman;
using namespace dragoman::test;

std::unique_ptr<mlir::MLIRContext> test::kernelContext() {
  auto context = std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
  context
      ->loadDialect<xf::XfDialect, plan::PlanDialect,
                    mlir::tensor::TensorDialect, mlir::math::MathDialect,
                    mlir::linalg::LinalgDialect, mlir::arith::ArithDialect>();
  return context;
}

std::unique_ptr<TensorKernel> TensorKernel::compile(mlir::MLIRContext &context,
                                                    const std::string &text,
                                                    LowerFunction lower,
                                                    const CpuTarget &target) {
  auto source = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!source)
    return nullptr;
  auto kernel = *source->getOps<plan::KernelOp>().begin();
  llvm::FailureOr<KernelSchedule> schedule = scheduleKernel(kernel, {});
  if (failed(schedule))
    return nullptr;
  kernel.setScheduleAttr(schedule->schedule);
  auto result = std::make_unique<TensorKernel>();
  result->tiles = schedule->tiles;
  result->scratchBytes = schedule->scratchBytes;
  for (auto dim : kernel.getDims().getAsRange<mlir::StringAttr>())
    result->dimNames.push_back(dim.getValue().str());

  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  KernelBuilder k(*module, "kernel", target);
  if (failed(lower(kernel, k)))
    return nullptr;
  k.finish();
  if (failed(mlir::verify(*module)))
    return nullptr;
  result->loaded = LoadedCode::compile(*module, target);
  return result->loaded ? std::move(result) : nullptr;
}

ErrorBlock TensorKernel::run(std::vector<void *> slots,
                             const std::map<std::string, int64_t> &dims,
                             int64_t parts) const {
  Launch launch;
  launch.slots = std::move(slots);
  for (const std::string &name : dimNames)
    launch.dims.push_back(dims.at(name));
  launch.tiles = *tiles.evaluate(dims);
  launch.scratchBytes = scratchBytes;
  launch.run(loaded->kernel("kernel"), parts);
  return launch.error;
}

std::vector<std::unique_ptr<TensorKernel>>
test::compileTensorKernel(mlir::MLIRContext &context, const std::string &text,
                          LowerFunction lower) {
  std::vector<std::unique_ptr<TensorKernel>> kernels;
  for (const CpuTarget &target : hostTargets())
    kernels.push_back(TensorKernel::compile(context, text, lower, target));
  return kernels;
}
