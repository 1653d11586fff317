//===- DecoderGraphs.h - The two imported graphs of a decoder ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_GRAPH_DECODERGRAPHS_H
#define DRAGOMAN_COMPILER_GRAPH_DECODERGRAPHS_H

#include "dialects/plan/Plan.h"
#include "dialects/xf/DimAnalysis.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace dragoman {

/// The decoder of the first step (all caches are results) and the one of later
/// steps (caches are arguments, the self caches results too). Cache values
/// carry `xf.cache`.
struct DecoderGraphs {
  mutable mlir::func::FuncOp first, past; // handles; reading needs non-const

  /// The functions of `xf.role` "first" and "past", if both are there.
  static std::optional<DecoderGraphs> find(mlir::ModuleOp module);

  mlir::StringAttr nameOf(mlir::func::FuncOp function,
                          mlir::BlockArgument argument) const;
  mlir::StringAttr cacheOfArgument(mlir::func::FuncOp function,
                                   unsigned index) const;
  /// The argument or result of this name, or null.
  mlir::BlockArgument argument(mlir::func::FuncOp function,
                               llvm::StringRef name) const;
  mlir::Value result(mlir::func::FuncOp function, llvm::StringRef name) const;
  mlir::Value resultOfCache(mlir::func::FuncOp function,
                            llvm::StringRef cache) const;

  /// The cache that a value of the later graph is: its argument, or what the
  /// graph appends to one. Empty: none.
  std::string cacheBehind(mlir::Value value) const;
  /// What is appended: the second operand of concat(cache, x).
  mlir::Value appendedTo(mlir::Value value) const;

  /// Every self cache that comes in goes out as itself with something appended,
  /// and the first graph returns all caches. Emits an error otherwise.
  mlir::LogicalResult checkCaches() const;
  /// The later graph over empty self caches, and the cross caches that the
  /// first computes, is the first graph. Emits an error with the first value
  /// that is not the same.
  mlir::LogicalResult proveEqual() const;
};

/// Values outside of `op` that it or its regions use.
llvm::SetVector<mlir::Value> usedValues(mlir::Operation *op);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_GRAPH_DECODERGRAPHS_H
