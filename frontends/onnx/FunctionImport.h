//===- FunctionImport.h - From one ONNX graph to one function -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_FUNCTIONIMPORT_H
#define DRAGOMAN_FRONTENDS_ONNX_FUNCTIONIMPORT_H

#include "frontends/onnx/Imported.h"
#include "frontends/onnx/ModuleImport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <set>

namespace dragoman::onnx {

/// How a graph becomes a function.
struct FunctionOptions {
  std::string name = "main";
  /// Names of dimensions by dim_param; others are made from the text.
  std::map<std::string, std::string> dimNames;
  /// Masks that a length per row replaces: input name -> name of the new
  /// argument. Mask [b, s] is 1 where s < length[b], else 0.
  std::map<std::string, std::string> lengthMasks;
  /// `xf.domain` of inputs by name. An input with "ids(V)" holds no negative
  /// id.
  std::map<std::string, std::string> domains;
  /// The outputs to keep, in this order; empty: all.
  std::vector<std::string> outputs;
};

/// Builds one function. Failures are emitted as diagnostics that name the node.
class FunctionImport {
public:
  FunctionImport(ModuleImport &module, const Model &model,
                 const FunctionOptions &options)
      : module(module), model(model), options(options),
        builder(module.context()) {}

  mlir::FailureOr<mlir::func::FuncOp> run();

  ModuleImport &module;
  const Model &model;
  const FunctionOptions &options;
  mlir::OpBuilder builder;

  Imported *lookup(const std::string &name);
  /// Builds the IR of a value where that has not happened yet.
  mlir::Value materialize(Imported &imported, mlir::Location loc);
  /// The index value of an expression at the builder's place.
  mlir::Value dimValue(const DimExpr &expr, mlir::Location loc);
  mlir::OpFoldResult mixedDim(const DimExpr &expr, mlir::Location loc);
  /// The ranked type: static where the dimension is a constant.
  mlir::RankedTensorType typeOf(int32_t code, llvm::ArrayRef<DimExpr> dims);
  /// The expression after the equalities that entry checks have established.
  DimExpr resolved(const DimExpr &expr) const;
  /// Makes two dimensions equal: nothing to do where that is provable, else one
  /// check at entry. Fails where they are provably unequal.
  mlir::LogicalResult unify(const DimExpr &a, const DimExpr &b,
                            const Node &node);

private:
  mlir::LogicalResult refuse(const Status &status);
  mlir::LogicalResult addArguments();
  mlir::LogicalResult convertNodes(llvm::ArrayRef<const Node *> order);
  mlir::LogicalResult addResults();
  DimExpr dimOfInput(const ShapeDim &dim, const ValueInfo &input, size_t axis);
  Imported lengthMask(const ValueInfo &input, Dims dims,
                      mlir::BlockArgument length);

  mlir::func::FuncOp function;
  std::map<std::string, Imported> values;
  std::map<std::string, std::pair<unsigned, unsigned>> dimSources;
  std::map<std::string, DimExpr> equalities;
  std::set<std::string> checked;
};

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_FUNCTIONIMPORT_H
