//===- Dedupe.cpp - Equal kernels become one -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/KernelIdentity.h"
#include "compiler/tiling/Passes.h"
#include "compiler/tiling/Schedule.h"

#include "llvm/ADT/StringMap.h"

namespace dragoman::tiling {
#define GEN_PASS_DEF_DEDUPEPASS
#include "compiler/tiling/Passes.h.inc"
} // namespace dragoman::tiling

using namespace dragoman;

namespace {

struct DedupePass : tiling::impl::DedupePassBase<DedupePass> {
  void runOnOperation() override;

private:
  void dropUndispatched();
  void rename();
};

} // namespace

/// Calls `function` with every dispatch of the module's entries.
template <typename Function>
static void forDispatches(mlir::ModuleOp module, Function function) {
  for (auto entry : module.getOps<plan::EntryOp>())
    entry.walk([&](plan::DispatchOp dispatch) { function(dispatch); });
}

void DedupePass::dropUndispatched() {
  llvm::StringMap<bool> dispatched;
  forDispatches(getOperation(), [&](plan::DispatchOp dispatch) {
    dispatched[dispatch.getKernel()] = true;
  });
  for (auto kernel : llvm::to_vector(getOperation().getOps<plan::KernelOp>()))
    if (!dispatched.lookup(kernel.getSymName()))
      kernel.erase();
}

/// Names kernels root_0, root_1, ... in the module's order.
void DedupePass::rename() {
  mlir::ModuleOp module = getOperation();
  llvm::StringMap<mlir::StringAttr> names;
  llvm::StringMap<unsigned> counts;
  for (auto kernel : module.getOps<plan::KernelOp>()) {
    llvm::StringRef root = kernelRootName(kernel);
    auto name = mlir::StringAttr::get(&getContext(),
                                      root + "_" + llvm::Twine(counts[root]++));
    names[kernel.getSymName()] = name;
    kernel.setSymNameAttr(name);
  }
  forDispatches(module, [&](plan::DispatchOp dispatch) {
    dispatch.setKernelAttr(
        mlir::FlatSymbolRefAttr::get(names.lookup(dispatch.getKernel())));
  });
}

void DedupePass::runOnOperation() {
  mlir::ModuleOp module = getOperation();
  dropUndispatched();
  llvm::StringMap<mlir::StringAttr> first;    // by identity
  llvm::StringMap<mlir::StringAttr> replaced; // by name
  for (auto kernel : llvm::to_vector(module.getOps<plan::KernelOp>())) {
    auto [entry, isNew] =
        first.try_emplace(kernelIdentity(kernel), kernel.getSymNameAttr());
    replaced[kernel.getSymName()] = entry->second;
    if (!isNew)
      kernel.erase();
  }
  forDispatches(module, [&](plan::DispatchOp dispatch) {
    dispatch.setKernelAttr(
        mlir::FlatSymbolRefAttr::get(replaced.lookup(dispatch.getKernel())));
  });
  rename();
}
