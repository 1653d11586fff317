//===- NodeImport.h - A node, as its converter sees it ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_NODEIMPORT_H
#define DRAGOMAN_FRONTENDS_ONNX_NODEIMPORT_H

#include "frontends/onnx/FunctionImport.h"

namespace dragoman::onnx {

/// A constant of the file as a value.
Imported constantOf(const Tensor &tensor);

/// A scalar constant of a float or integer type.
mlir::Value scalarConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Type type, double value);

/// Inputs, attributes and outputs of one node. A converter reads the inputs,
/// builds IR through `builder`, and sets every output; on failure it has
/// emitted an error through error().
class NodeImport {
public:
  NodeImport(FunctionImport &function, const Node &node);

  /// Looks up the inputs.
  mlir::LogicalResult prepare();

  FunctionImport &function;
  const Node &node;
  mlir::OpBuilder &builder;
  mlir::Location loc;

  int64_t opset() const { return function.model.opset(); }
  mlir::LogicalResult error(const llvm::Twine &message);

  size_t inputCount() const { return inputs.size(); }
  bool has(size_t i) const { return i < inputs.size() && inputs[i]; }
  /// Input `i`, which must be there (see expectInputs).
  Imported &in(size_t i) { return *inputs[i]; }
  mlir::Value value(size_t i) { return function.materialize(in(i), loc); }
  /// Fails unless the node has `least` to `most` inputs and the first `least`
  /// are given.
  mlir::LogicalResult expectInputs(size_t least, size_t most);
  mlir::LogicalResult expectInputs(size_t count) {
    return expectInputs(count, count);
  }

  // Attributes. A wrong kind or a missing required one is an error.
  bool hasAttribute(llvm::StringRef name) const;
  mlir::FailureOr<int64_t> intAttr(llvm::StringRef name,
                                   std::optional<int64_t> otherwise);
  mlir::FailureOr<double> floatAttr(llvm::StringRef name,
                                    std::optional<double> otherwise);
  mlir::FailureOr<std::string> stringAttr(llvm::StringRef name,
                                          std::optional<std::string> otherwise);
  /// Empty optional inside: not given.
  mlir::FailureOr<std::optional<std::vector<int64_t>>>
  intsAttr(llvm::StringRef name);
  /// Integers given by input `i` or, in older versions, by an attribute.
  mlir::FailureOr<std::optional<std::vector<int64_t>>>
  intsInputOrAttr(size_t i, llvm::StringRef name);

  /// The axis counted from the front; an axis outside -rank..rank-1 fails.
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank);

  // Outputs.
  void set(size_t i, Imported imported);
  void set(size_t i, mlir::Value value, int32_t type, Dims dims);
  void setContent(size_t i, int32_t type, Dims dims,
                  llvm::SmallVector<DimExpr> content);
  std::optional<Imported> &output(size_t i) { return outputs[i]; }

  mlir::RankedTensorType typeOf(int32_t code, llvm::ArrayRef<DimExpr> dims) {
    return function.typeOf(code, dims);
  }
  /// tensor.empty of these dimensions.
  mlir::Value empty(int32_t code, llvm::ArrayRef<DimExpr> dims);
  mlir::Value empty(mlir::Type element, llvm::ArrayRef<DimExpr> dims);
  llvm::SmallVector<mlir::OpFoldResult> mixed(llvm::ArrayRef<DimExpr> dims);
  mlir::LogicalResult unify(const DimExpr &a, const DimExpr &b) {
    return function.unify(a, b, node);
  }

private:
  mlir::FailureOr<const Attribute *>
  typedAttr(llvm::StringRef name, AttributeKind kind, bool required);

  llvm::SmallVector<Imported *> inputs;
  std::vector<std::optional<Imported>> outputs;
};

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_NODEIMPORT_H
