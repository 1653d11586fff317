//===- ModuleImport.cpp - What all functions of one import share ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ModuleImport.h"

#include "dialects/plan/Plan.h"
#include "runtime/base/Hash.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Path.h"

using namespace dragoman;
using namespace dragoman::onnx;

mlir::Type onnx::elementType(mlir::MLIRContext *context, int32_t code) {
  mlir::Builder builder(context);
  switch (code) {
  case Float:
    return builder.getF32Type();
  case Float16:
    return builder.getF16Type();
  case Bfloat16:
    return builder.getBF16Type();
  case Double:
    return builder.getF64Type();
  case Int32:
    return builder.getI32Type();
  case Int64:
    return builder.getI64Type();
  case Bool:
    return builder.getI1Type();
  default:
    return {};
  }
}

mlir::DenseElementsAttr onnx::denseElements(mlir::MLIRContext *context,
                                            const Tensor &tensor) {
  auto type = mlir::RankedTensorType::get(tensor.dims,
                                          elementType(context, tensor.type));
  if (tensor.type == Bool) {
    llvm::SmallVector<bool> values;
    for (char byte : tensor.bytes)
      values.push_back(byte != 0);
    return mlir::DenseElementsAttr::get(type, values);
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(
      type, llvm::ArrayRef<char>(tensor.bytes.data(), tensor.bytes.size()));
}

ModuleImport::ModuleImport(mlir::MLIRContext &context)
    : module(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context))) {}

const Model *ModuleImport::load(const std::string &path, std::string name) {
  Result<std::unique_ptr<Model>> model = Model::load(path);
  if (!model) {
    mlir::emitError(mlir::UnknownLoc::get(context()))
        << model.status().toString();
    return nullptr;
  }
  names[model->get()] =
      name.empty() ? llvm::sys::path::filename(path).str() : std::move(name);
  return models.emplace_back(std::move(*model)).get();
}

llvm::StringRef ModuleImport::fileName(const Model &model) const {
  auto found = names.find(&model);
  return found == names.end() ? llvm::StringRef("model") : found->second;
}

mlir::Location ModuleImport::locationOf(const Model &model, const Node &node) {
  mlir::Builder builder(context());
  return mlir::NameLoc::get(
      builder.getStringAttr(node.name.empty() ? node.opType : node.name),
      mlir::FileLineColLoc::get(context(), fileName(model), 0, 0));
}

std::string ModuleImport::uniqueSymbol(std::string name) {
  int &uses = symbols[name];
  if (uses++ == 0)
    return name;
  return uniqueSymbol(name + "." + std::to_string(uses - 1));
}

std::string ModuleImport::weight(const Model &model, const Tensor &tensor) {
  auto type = mlir::RankedTensorType::get(tensor.dims,
                                          elementType(context(), tensor.type));
  std::string checksum = checksumOf(tensor.bytes);
  auto [begin, end] = weights.equal_range(checksum);
  for (auto it = begin; it != end; ++it)
    if (it->second.type == type && it->second.bytes == tensor.bytes)
      return it->second.symbol;

  std::string symbol =
      uniqueSymbol(tensor.name.empty() ? "constant" : tensor.name);
  weights.emplace(checksum, Known{symbol, tensor.bytes, type});
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  mlir::Location loc = builder.getUnknownLoc();
  mlir::Attribute source;
  mlir::FlatSymbolRefAttr derived;
  if (tensor.fileOffset) {
    source =
        plan::FileAttr::get(context(), builder.getStringAttr(fileName(model)),
                            *tensor.fileOffset, tensor.bytes.size());
  } else {
    // Elements that the file stores as varints: a derived weight holds them.
    std::string init = uniqueSymbol("init." + symbol);
    auto function = mlir::func::FuncOp::create(
        builder, loc, init, builder.getFunctionType({}, {type}));
    function.setPrivate();
    mlir::OpBuilder inner =
        mlir::OpBuilder::atBlockEnd(function.addEntryBlock());
    mlir::Value value = mlir::arith::ConstantOp::create(
        inner, loc, denseElements(context(), tensor));
    mlir::func::ReturnOp::create(inner, loc, value);
    derived = mlir::FlatSymbolRefAttr::get(context(), init);
  }
  plan::WeightOp::create(builder, loc, symbol, type, source, derived);
  return symbol;
}

int64_t ModuleImport::site(llvm::StringRef node, llvm::StringRef message) {
  auto [it, isNew] =
      sites.emplace(std::pair(node.str(), message.str()), sites.size() + 1);
  if (!isNew)
    return it->second;
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  plan::SiteOp::create(builder, builder.getUnknownLoc(), it->second, node,
                       message);
  return it->second;
}
