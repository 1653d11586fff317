//===- KernelOutliner.h - From clusters of ops to kernels and dispatches --===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_FUSION_KERNELOUTLINER_H
#define DRAGOMAN_COMPILER_FUSION_KERNELOUTLINER_H

#include "compiler/fusion/Clusters.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/DimAnalysis.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace dragoman::fusion {

/// A kernel made from a cluster, and what its dispatch passes.
struct OutlinedKernel {
  plan::KernelOp kernel;
  Cluster *cluster;
  llvm::SmallVector<mlir::Value> arguments;
  llvm::SmallVector<mlir::Value> results; ///< values of the cluster's ops
  mlir::ArrayAttr dims;                   ///< in the entry's dimensions
};

/// Makes kernels from the clusters of one function. The function itself is only
/// read: all kernels must be made before it is changed.
class KernelOutliner {
public:
  /// `dims` are the names that the function's arguments bind.
  KernelOutliner(mlir::func::FuncOp function, mlir::SymbolTable &symbols,
                 llvm::StringSet<> dims);

  /// Emits an error and fails if a size does not follow from the arguments.
  llvm::FailureOr<OutlinedKernel> outline(Cluster &cluster);

private:
  void collectArguments(mlir::Operation *op);
  llvm::LogicalResult addSizeArguments();
  void findResults(llvm::SmallVector<mlir::Value> &results);
  void buildBody(OutlinedKernel &out);
  mlir::Value materialise(mlir::OpBuilder &builder, mlir::Value value);
  bool isSize(mlir::Value value);
  mlir::Value sizeInKernel(mlir::OpBuilder &builder, mlir::Value value);
  void collectSizes(mlir::Operation *op, llvm::SetVector<mlir::Value> &out);
  mlir::Value valueOfSize(mlir::Value size);
  bool dependsOnLoops(const DimExpr &expr);
  DimExpr nameAxis(const DimExpr &axis,
                   std::vector<std::pair<std::string, DimExpr>> &own);
  llvm::LogicalResult nameDims(OutlinedKernel &out);

  mlir::func::FuncOp function;
  mlir::SymbolTable &symbols;
  llvm::StringSet<> dims;
  xf::DimAnalysis analysis;

  // Of the kernel under construction.
  Cluster *cluster = nullptr;
  llvm::SetVector<mlir::Value> arguments;
  llvm::SetVector<mlir::Operation *> inside;
  mlir::IRMapping mapping;
  std::map<DimExpr, mlir::Value> sizes;
};

} // namespace dragoman::fusion

#endif // DRAGOMAN_COMPILER_FUSION_KERNELOUTLINER_H
