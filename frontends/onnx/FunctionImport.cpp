//===- FunctionImport.cpp - From one ONNX graph to one function -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/FunctionImport.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/DimAnalysis.h"
#include "dialects/xf/DimValues.h"
#include "dialects/xf/Xf.h"
#include "frontends/onnx/GraphCheck.h"
#include "frontends/onnx/NodeImport.h"
#include "frontends/onnx/ops/Table.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::LogicalResult;
using mlir::Value;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

/// A text as the name of a dimension: letters, digits, '_' and '.'.
static std::string sanitizedDim(llvm::StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_';
  if (name.empty() || llvm::isDigit(name[0]) || name[0] == '.')
    name.insert(0, "_");
  return name;
}

LogicalResult FunctionImport::refuse(const Status &status) {
  return mlir::emitError(mlir::UnknownLoc::get(module.context()))
         << module.fileName(model) << ": " << status.toString();
}

Imported *FunctionImport::lookup(const std::string &name) {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

mlir::RankedTensorType FunctionImport::typeOf(int32_t code,
                                              llvm::ArrayRef<DimExpr> dims) {
  llvm::SmallVector<int64_t> shape;
  for (const DimExpr &dim : dims)
    shape.push_back(dim.constant().value_or(mlir::ShapedType::kDynamic));
  return mlir::RankedTensorType::get(shape,
                                     elementType(module.context(), code));
}

DimExpr FunctionImport::resolved(const DimExpr &expr) const {
  if (equalities.empty())
    return expr;
  return expr.substitute(
      [&](const std::string &name) -> std::optional<DimExpr> {
        auto found = equalities.find(name);
        return found == equalities.end() ? std::nullopt
                                         : std::optional(found->second);
      });
}

Value FunctionImport::dimValue(const DimExpr &expr, mlir::Location loc) {
  // The node is refused when its outputs are looked at.
  if (expr.overflowed())
    return arith::ConstantIndexOp::create(builder, loc, 0);
  return xf::buildDim(builder, loc, expr, [&](llvm::StringRef name) -> Value {
    auto source = dimSources.find(name.str());
    assert(source != dimSources.end() && "a dimension that no argument has");
    auto [argument, axis] = source->second;
    return tensor::DimOp::create(builder, loc, function.getArgument(argument),
                                 axis);
  });
}

mlir::OpFoldResult FunctionImport::mixedDim(const DimExpr &expr,
                                            mlir::Location loc) {
  if (std::optional<int64_t> constant = expr.constant())
    return builder.getIndexAttr(*constant);
  return dimValue(expr, loc);
}

LogicalResult FunctionImport::unify(const DimExpr &a, const DimExpr &b,
                                    const Node &node) {
  DimExpr left = resolved(a), right = resolved(b);
  if (left == right)
    return mlir::success();
  std::string who = node.describe();
  if (left.overflowed() || right.overflowed())
    return mlir::emitError(module.locationOf(model, node))
           << who << ": dimensions exceed what can be computed";
  if (left.constant() && right.constant())
    return mlir::emitError(module.locationOf(model, node))
           << who << ": expected equal dimensions, found " << left.str()
           << " and " << right.str();
  if (!checked.insert(left.str() + "=" + right.str()).second)
    return mlir::success();
  int64_t site =
      module.site(node.name, "dimensions " + left.str() + " ({value}) and " +
                                 right.str() + " ({bound}) must be equal");
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  mlir::Location loc = module.locationOf(model, node);
  auto scalar = [&](const DimExpr &expr) -> Value {
    Value wide = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            dimValue(expr, loc));
    return wide;
  };
  auto boxed = [&](Value value) -> Value {
    return tensor::FromElementsOp::create(
        builder, loc, mlir::RankedTensorType::get({}, value.getType()), value);
  };
  Value x = scalar(left), y = scalar(right);
  Value same =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, x, y);
  xf::CheckOp::create(builder, loc, boxed(same), boxed(x), boxed(y), site);
  // From here on one name stands for both.
  if (std::string name = right.dimName(); !name.empty())
    equalities.emplace(name, left);
  else if (std::string other = left.dimName(); !other.empty())
    equalities.emplace(other, right);
  return mlir::success();
}

Value FunctionImport::materialize(Imported &imported, mlir::Location loc) {
  if (imported.value)
    return imported.value;
  mlir::RankedTensorType type = typeOf(imported.type, imported.dims);
  if (imported.constant && imported.constant->bytes.size() > constantLimit) {
    std::string symbol = module.weight(model, *imported.constant);
    imported.value = plan::LoadOp::create(builder, loc, type, symbol);
  } else if (imported.constant) {
    imported.value = arith::ConstantOp::create(
        builder, loc, denseElements(module.context(), *imported.constant));
  } else if (imported.content) {
    llvm::SmallVector<Value> elements;
    for (const DimExpr &element : *imported.content)
      elements.push_back(arith::IndexCastOp::create(
          builder, loc, type.getElementType(), dimValue(element, loc)));
    imported.value =
        tensor::FromElementsOp::create(builder, loc, type, elements);
  } else {
    assert(imported.splat && "a value without any source");
    llvm::SmallVector<Value> sizes;
    for (const DimExpr &dim : imported.dims)
      if (!dim.constant())
        sizes.push_back(dimValue(dim, loc));
    Value scalar =
        scalarConstant(builder, loc, type.getElementType(), *imported.splat);
    imported.value = tensor::SplatOp::create(builder, loc, type, scalar, sizes);
  }
  return imported.value;
}

DimExpr FunctionImport::dimOfInput(const ShapeDim &dim, const ValueInfo &input,
                                   size_t axis) {
  if (dim.size)
    return DimExpr(*dim.size);
  auto mapped = options.dimNames.find(dim.param);
  std::string name =
      mapped != options.dimNames.end()
          ? mapped->second
          : sanitizedDim(dim.param.empty()
                             ? input.name + "." + std::to_string(axis)
                             : dim.param);
  return DimExpr::dim(name);
}

LogicalResult FunctionImport::addArguments() {
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<Dims> shapes;
  for (const ValueInfo &input : model.graph.inputs) {
    if (!elementType(module.context(), input.type) || !input.hasShape)
      return refuse(Status(StatusCode::Unsupported,
                           "graph input '" + input.name + "' of " +
                               elementName(input.type) +
                               (input.hasShape ? "" : " without a shape") +
                               " is not supported"));
    Dims dims;
    for (size_t axis = 0; axis < input.shape.size(); ++axis)
      dims.push_back(dimOfInput(input.shape[axis], input, axis));
    shapes.push_back(dims);
    bool isMask = options.lengthMasks.count(input.name);
    types.push_back(typeOf(isMask ? Int64 : input.type,
                           isMask ? llvm::ArrayRef(dims).take_front(1)
                                  : llvm::ArrayRef(dims)));
  }
  builder.setInsertionPointToEnd(module.get().getBody());
  function =
      mlir::func::FuncOp::create(builder, builder.getUnknownLoc(), options.name,
                                 builder.getFunctionType(types, {}));
  function.addEntryBlock();
  builder.setInsertionPointToStart(&function.getBody().front());

  for (auto [i, input] : llvm::enumerate(model.graph.inputs)) {
    auto mask = options.lengthMasks.find(input.name);
    bool isMask = mask != options.lengthMasks.end();
    size_t axes = isMask ? 1 : shapes[i].size();
    for (size_t axis = 0; axis < axes; ++axis)
      if (std::string name = shapes[i][axis].dimName(); !name.empty())
        dimSources.emplace(name, std::pair<unsigned, unsigned>(i, axis));
    auto domain = options.domains.find(input.name);
    function.setArgAttr(
        i, "xf.dims",
        xf::dimsToAttr(module.context(),
                       llvm::ArrayRef(shapes[i]).take_front(axes)));
    function.setArgAttr(
        i, "xf.name",
        builder.getStringAttr(isMask ? mask->second : input.name));
    if (domain != options.domains.end())
      function.setArgAttr(i, "xf.domain",
                          builder.getStringAttr(domain->second));
  }
  for (auto [i, input] : llvm::enumerate(model.graph.inputs)) {
    Imported &imported = values[input.name];
    if (options.lengthMasks.count(input.name)) {
      imported = lengthMask(input, shapes[i], function.getArgument(i));
      continue;
    }
    imported.value = function.getArgument(i);
    imported.type = input.type;
    imported.dims = shapes[i];
    auto domain = options.domains.find(input.name);
    imported.nonNegative = domain != options.domains.end() &&
                           llvm::StringRef(domain->second).starts_with("ids(");
  }
  for (const Tensor &tensor : model.graph.initializers) {
    if (!elementType(module.context(), tensor.type))
      return refuse(Status(StatusCode::Unsupported,
                           "initializer '" + tensor.name + "' of " +
                               elementName(tensor.type) + " is not supported"));
    values[tensor.name] = constantOf(tensor);
  }
  return mlir::success();
}

Imported FunctionImport::lengthMask(const ValueInfo &input, Dims dims,
                                    mlir::BlockArgument length) {
  mlir::Location loc = builder.getUnknownLoc();
  mlir::RankedTensorType type = typeOf(input.type, dims);
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  for (const DimExpr &dim : dims)
    sizes.push_back(mixedDim(dim, loc));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  mlir::AffineMap rows = mlir::AffineMap::get(
      2, 0, {builder.getAffineDimExpr(0)}, module.context());
  auto body = [&](mlir::OpBuilder &inner, mlir::Location at,
                  mlir::ValueRange args) {
    Value column = mlir::linalg::IndexOp::create(inner, at, 1);
    column = arith::IndexCastOp::create(inner, at, inner.getI64Type(), column);
    Value visible = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::slt,
                                          column, args[0]);
    Value one =
        llvm::isa<mlir::FloatType>(type.getElementType())
            ? arith::UIToFPOp::create(inner, at, type.getElementType(), visible)
                  .getResult()
        : type.getElementType().isInteger(1)
            ? visible
            : arith::ExtUIOp::create(inner, at, type.getElementType(), visible)
                  .getResult();
    mlir::linalg::YieldOp::create(inner, at, one);
  };
  auto generic = mlir::linalg::GenericOp::create(
      builder, loc, type, mlir::ValueRange{length}, mlir::ValueRange{empty},
      llvm::ArrayRef{rows, builder.getMultiDimIdentityMap(2)},
      llvm::SmallVector(2, mlir::utils::IteratorType::parallel), body);
  Imported imported;
  imported.value = generic.getResult(0);
  imported.type = input.type;
  imported.dims = dims;
  imported.nonNegative = true;
  return imported;
}

LogicalResult FunctionImport::convertNodes(llvm::ArrayRef<const Node *> order) {
  for (const Node *node : order) {
    NodeImport import(*this, *node);
    if (failed(import.prepare()) || failed(findConverter(*node)(import)))
      return mlir::failure();
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      if (node->outputs[i].empty())
        continue;
      if (!import.output(i))
        return import.error("output " + llvm::Twine(i) + " is not supported");
      for (const DimExpr &dim : import.output(i)->dims)
        if (dim.overflowed() || dim.constant().value_or(0) < 0)
          return import.error("output " + llvm::Twine(i) +
                              " would have a dimension of " + dim.str());
      values[node->outputs[i]] = std::move(*import.output(i));
    }
  }
  return mlir::success();
}

LogicalResult FunctionImport::addResults() {
  llvm::SmallVector<Value> results;
  llvm::SmallVector<mlir::Type> types;
  std::vector<std::string> names = options.outputs;
  if (names.empty())
    for (const ValueInfo &output : model.graph.outputs)
      names.push_back(output.name);
  mlir::Location loc = builder.getUnknownLoc();
  for (const std::string &name : names) {
    Imported *imported = lookup(name);
    if (!imported)
      return refuse(Status(StatusCode::InvalidData,
                           "graph output '" + name + "' is never defined"));
    results.push_back(materialize(*imported, loc));
    types.push_back(results.back().getType());
  }
  mlir::func::ReturnOp::create(builder, loc, results);
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), types));
  for (auto [i, name] : llvm::enumerate(names))
    function.setResultAttr(i, "xf.name", builder.getStringAttr(name));
  return mlir::success();
}

mlir::FailureOr<mlir::func::FuncOp> FunctionImport::run() {
  Status operators = checkOperators(
      model, [](const Node &node) { return findConverter(node) != nullptr; });
  if (!operators)
    return refuse(operators);
  Result<std::vector<const Node *>> order = sortNodes(model.graph);
  if (!order)
    return refuse(order.status());
  if (failed(addArguments()) || failed(convertNodes(*order)) ||
      failed(addResults()))
    return mlir::failure();
  return function;
}
