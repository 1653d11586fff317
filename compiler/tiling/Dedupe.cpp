//===- Dedupe.cpp - Equal kernels become one -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Passes.h"
#include "compiler/tiling/Schedule.h"
#include "dialects/xf/DimAnalysis.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace dragoman::tiling {
#define GEN_PASS_DEF_DEDUPEPASS
#include "compiler/tiling/Passes.h.inc"
} // namespace dragoman::tiling

using namespace dragoman;

namespace {

/// Replaces the names of a kernel's dimensions by d0, d1, ...
class DimRenamer {
public:
  explicit DimRenamer(mlir::ArrayAttr dims) {
    for (auto [i, name] : llvm::enumerate(dims.getAsRange<mlir::StringAttr>()))
      numbers[name.getValue()] = i;
  }

  DimExpr rename(const DimExpr &expr) const {
    return expr.substitute(
        [&](const std::string &name) -> std::optional<DimExpr> {
          return DimExpr::dim("d" + std::to_string(numbers.lookup(name)));
        });
  }

  /// Renames in every xf.dims of an array of argument or result attributes.
  mlir::ArrayAttr rename(mlir::ArrayAttr attributes) const {
    llvm::SmallVector<mlir::Attribute> renamed;
    for (auto dictionary : attributes.getAsRange<mlir::DictionaryAttr>()) {
      mlir::NamedAttrList list(dictionary);
      if (auto dims = dictionary.getAs<mlir::ArrayAttr>("xf.dims")) {
        llvm::SmallVector<DimExpr> exprs = xf::dimsFromAttr(dims);
        for (DimExpr &expr : exprs)
          expr = rename(expr);
        list.set("xf.dims", xf::dimsToAttr(attributes.getContext(), exprs));
      }
      renamed.push_back(list.getDictionary(attributes.getContext()));
    }
    return mlir::ArrayAttr::get(attributes.getContext(), renamed);
  }

private:
  llvm::StringMap<size_t> numbers;
};

struct DedupePass : tiling::impl::DedupePassBase<DedupePass> {
  void runOnOperation() override;

private:
  void dropUndispatched();
  void rename();
};

} // namespace

/// The text that equal kernels share.
static std::string identity(plan::KernelOp kernel) {
  auto copy = llvm::cast<plan::KernelOp>(kernel->clone());
  DimRenamer renamer(kernel.getDims());
  copy.setSymName("kernel");
  llvm::SmallVector<mlir::Attribute> none(
      kernel.getDims().size(), mlir::UnitAttr::get(copy.getContext()));
  copy.setDimsAttr(mlir::ArrayAttr::get(copy.getContext(), none));
  if (mlir::ArrayAttr attributes = kernel.getArgAttrsAttr())
    copy.setArgAttrsAttr(renamer.rename(attributes));
  if (mlir::ArrayAttr attributes = kernel.getResAttrsAttr())
    copy.setResAttrsAttr(renamer.rename(attributes));
  if (kernel.getTiles()) {
    Result<DimExpr> tiles = DimExpr::parse(kernel.getTiles()->str());
    assert(tiles && "the kernel's verifier has parsed it");
    copy.setTiles(renamer.rename(*tiles).str());
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream,
              mlir::OpPrintingFlags().printGenericOpForm().useLocalScope());
  copy->destroy();
  return text;
}

/// Calls `function` with every dispatch of the module's entries.
template <typename Function>
static void forDispatches(mlir::ModuleOp module, Function function) {
  for (auto entry : module.getOps<plan::EntryOp>())
    for (auto dispatch : entry.getBody().front().getOps<plan::DispatchOp>())
      function(dispatch);
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
        first.try_emplace(identity(kernel), kernel.getSymNameAttr());
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
