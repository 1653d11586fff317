//===- KernelIdentity.cpp - When two kernels are one -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/KernelIdentity.h"

#include "dialects/xf/DimAnalysis.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

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

} // namespace

std::string dragoman::kernelIdentity(plan::KernelOp kernel) {
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
