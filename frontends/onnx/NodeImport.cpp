//===- NodeImport.cpp - A node, as its operator's converter sees it -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/NodeImport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::Value;

/// Longest constant whose elements are followed through shape arithmetic.
static constexpr int64_t contentLimit = 1024;

/// The value of a float constant of one element.
static std::optional<double> splatOf(const Tensor &tensor) {
  if (tensor.elements() != 1)
    return std::nullopt;
  if (tensor.type == Double) {
    double value = 0;
    std::memcpy(&value, tensor.bytes.data(), 8);
    return value;
  }
  if (tensor.type != Float)
    return std::nullopt;
  float value = 0;
  std::memcpy(&value, tensor.bytes.data(), 4);
  return value;
}

Imported onnx::constantOf(const Tensor &tensor) {
  Imported imported;
  imported.type = tensor.type;
  imported.dims.assign(tensor.dims.begin(), tensor.dims.end());
  imported.constant = &tensor;
  imported.splat = splatOf(tensor);
  if (imported.isInteger() && tensor.elements() <= contentLimit) {
    auto &content = imported.content.emplace();
    for (int64_t value : tensor.integers())
      content.push_back(DimExpr(value));
  }
  if (tensor.type == Bool && tensor.elements() <= contentLimit) {
    auto &content = imported.content.emplace();
    for (char value : tensor.bytes)
      content.push_back(DimExpr(value != 0));
  }
  if (imported.content)
    imported.nonNegative =
        llvm::all_of(*imported.content, [](const DimExpr &element) {
          return element.provablyNonNegative();
        });
  return imported;
}

Value onnx::scalarConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Type type, double value) {
  if (llvm::isa<mlir::FloatType>(type))
    return mlir::arith::ConstantOp::create(builder, loc,
                                           builder.getFloatAttr(type, value));
  return mlir::arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(type, static_cast<int64_t>(value)));
}

NodeImport::NodeImport(FunctionImport &function, const Node &node)
    : function(function), node(node), builder(function.builder),
      loc(function.module.locationOf(function.model, node)),
      outputs(node.outputs.size()) {}

LogicalResult NodeImport::prepare() {
  for (const std::string &name : node.inputs) {
    Imported *imported = name.empty() ? nullptr : function.lookup(name);
    if (!name.empty() && !imported)
      return error("value '" + name + "' is not defined");
    if (imported)
      for (DimExpr &dim : imported->dims)
        dim = function.resolved(dim);
    inputs.push_back(imported);
  }
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();
  return mlir::success();
}

LogicalResult NodeImport::error(const llvm::Twine &message) {
  return mlir::emitError(loc) << node.describe() << ": " << message;
}

LogicalResult NodeImport::expectInputs(size_t least, size_t most) {
  if (inputs.size() < least || inputs.size() > most)
    return error(
        "expected " + llvm::Twine(least) +
        (most == least ? llvm::Twine("") : " to " + llvm::Twine(most)) +
        " inputs, found " + llvm::Twine(inputs.size()));
  for (size_t i = 0; i < least; ++i)
    if (!inputs[i])
      return error("input " + llvm::Twine(i) + " is required");
  return mlir::success();
}

bool NodeImport::hasAttribute(llvm::StringRef name) const {
  return node.attribute(name) != nullptr;
}

FailureOr<const Attribute *>
NodeImport::typedAttr(llvm::StringRef name, AttributeKind kind, bool required) {
  const Attribute *attribute = node.attribute(name);
  if (!attribute) {
    if (required)
      return error("attribute '" + name + "' is required");
    return attribute;
  }
  if (attribute->kind != kind)
    return error("expected attribute '" + name + "' to be " +
                 llvm::StringRef(kindName(kind)) + ", found " +
                 llvm::StringRef(kindName(attribute->kind)));
  return attribute;
}

FailureOr<int64_t> NodeImport::intAttr(llvm::StringRef name,
                                       std::optional<int64_t> otherwise) {
  FailureOr<const Attribute *> attribute =
      typedAttr(name, AttributeKind::Int, !otherwise);
  if (failed(attribute))
    return mlir::failure();
  return *attribute ? (*attribute)->i : *otherwise;
}

FailureOr<double> NodeImport::floatAttr(llvm::StringRef name,
                                        std::optional<double> otherwise) {
  FailureOr<const Attribute *> attribute =
      typedAttr(name, AttributeKind::Float, !otherwise);
  if (failed(attribute))
    return mlir::failure();
  return *attribute ? static_cast<double>((*attribute)->f) : *otherwise;
}

FailureOr<std::string>
NodeImport::stringAttr(llvm::StringRef name,
                       std::optional<std::string> otherwise) {
  FailureOr<const Attribute *> attribute =
      typedAttr(name, AttributeKind::String, !otherwise);
  if (failed(attribute))
    return mlir::failure();
  return *attribute ? (*attribute)->s : *otherwise;
}

FailureOr<std::optional<std::vector<int64_t>>>
NodeImport::intsAttr(llvm::StringRef name) {
  FailureOr<const Attribute *> attribute =
      typedAttr(name, AttributeKind::Ints, false);
  if (failed(attribute))
    return mlir::failure();
  if (!*attribute)
    return std::optional<std::vector<int64_t>>();
  return std::optional((*attribute)->ints);
}

FailureOr<std::optional<std::vector<int64_t>>>
NodeImport::intsInputOrAttr(size_t i, llvm::StringRef name) {
  if (!has(i))
    return intsAttr(name);
  std::optional<llvm::SmallVector<int64_t>> values = in(i).integers();
  if (!values || in(i).rank() > 1)
    return error("expected '" + name + "' to be a constant list of integers");
  return std::optional(std::vector<int64_t>(values->begin(), values->end()));
}

FailureOr<int64_t> NodeImport::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error("expected an axis in " + llvm::Twine(-rank) + ".." +
                 llvm::Twine(rank - 1) + ", found " + llvm::Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

void NodeImport::set(size_t i, Imported imported) {
  if (i < outputs.size())
    outputs[i] = std::move(imported);
}

void NodeImport::set(size_t i, Value value, int32_t type, Dims dims) {
  Imported imported;
  imported.value = value;
  imported.type = type;
  imported.dims = std::move(dims);
  set(i, std::move(imported));
}

void NodeImport::setContent(size_t i, int32_t type, Dims dims,
                            llvm::SmallVector<DimExpr> content) {
  Imported imported;
  imported.type = type;
  imported.dims = std::move(dims);
  imported.nonNegative = llvm::all_of(content, [](const DimExpr &element) {
    return element.provablyNonNegative();
  });
  imported.content = std::move(content);
  set(i, std::move(imported));
}

llvm::SmallVector<mlir::OpFoldResult>
NodeImport::mixed(llvm::ArrayRef<DimExpr> dims) {
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  for (const DimExpr &dim : dims)
    sizes.push_back(function.mixedDim(dim, loc));
  return sizes;
}

Value NodeImport::empty(mlir::Type element, llvm::ArrayRef<DimExpr> dims) {
  return mlir::tensor::EmptyOp::create(builder, loc, mixed(dims), element);
}

Value NodeImport::empty(int32_t code, llvm::ArrayRef<DimExpr> dims) {
  return empty(elementType(function.module.context(), code), dims);
}
