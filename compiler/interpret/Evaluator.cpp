//===- Evaluator.cpp - The interpreter's state ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Evaluator.h"

#include "dialects/xf/DimAnalysis.h"
#include "dialects/xf/reference/Reference.h"

#include "llvm/Support/raw_ostream.h"

namespace dragoman::interpret {

std::string locationText(mlir::Location location) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location))
    return name.getName().str();
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location))
    return file.getFilename().str() + ":" + std::to_string(file.getLine()) +
           ":" + std::to_string(file.getColumn());
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location);
      fused && !fused.getLocations().empty())
    return locationText(fused.getLocations().front());
  return "";
}

Result<Tensor> constantTensor(mlir::Attribute attribute) {
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attribute))
    return Tensor::scalar(*xf::elementOf(number.getType()),
                          number.getValueAsDouble());
  if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute)) {
    std::optional<Element> element = xf::elementOf(number.getType());
    if (element)
      return Tensor::scalar(*element,
                            wrapTo(*element, number.getValue().getSExtValue()));
  }
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute);
  std::optional<Element> element =
      dense ? xf::elementOf(dense.getType()) : std::nullopt;
  if (!element) {
    std::string text;
    llvm::raw_string_ostream(text) << attribute;
    return Status(StatusCode::Unsupported,
                  "expected a dense constant, found " + text);
  }
  Tensor tensor(*element, dense.getType().getShape().vec());
  int64_t i = 0;
  if (isFloat(*element)) {
    double *out = tensor.mutableFloats();
    for (llvm::APFloat value : dense.getValues<llvm::APFloat>())
      out[i++] = value.convertToDouble();
    return tensor;
  }
  int64_t *out = tensor.mutableIntegers();
  for (llvm::APInt value : dense.getValues<llvm::APInt>())
    out[i++] = wrapTo(*element, value.getSExtValue());
  return tensor;
}

std::vector<int64_t>
Frame::sizes(llvm::ArrayRef<mlir::OpFoldResult> mixed) const {
  std::vector<int64_t> result;
  for (mlir::OpFoldResult size : mixed) {
    if (auto attribute = llvm::dyn_cast<mlir::Attribute>(size))
      result.push_back(llvm::cast<mlir::IntegerAttr>(attribute).getInt());
    else
      result.push_back(integer(llvm::cast<mlir::Value>(size)));
  }
  return result;
}

Evaluator::Evaluator(mlir::ModuleOp module, Options options)
    : module(module), options(std::move(options)) {
  registerCheckOps(handlers);
  registerControlOps(handlers);
  registerLinalgOps(handlers);
  registerPlanOps(handlers);
  registerTensorOps(handlers);
  registerXfOps(handlers);
}

Result<std::vector<Tensor>> Evaluator::call(mlir::FunctionOpInterface function,
                                            std::vector<Tensor> arguments,
                                            DimMap dims) {
  if (function.isExternal())
    return Status(StatusCode::InvalidArgument,
                  "expected a function with a body, found " +
                      function.getName().str());
  if (depth >= 64)
    return Status(StatusCode::Unsupported, "expected calls to end, found 64 "
                                           "nested ones");
  mlir::Block &body = function.getFunctionBody().front();
  if (arguments.size() != body.getNumArguments())
    return Status(StatusCode::InvalidArgument,
                  "expected " + std::to_string(body.getNumArguments()) +
                      " arguments, found " + std::to_string(arguments.size()),
                  function.getName().str());
  Frame frame;
  frame.dims = std::move(dims);
  Status bound = bindDims(function, arguments, frame.dims);
  if (!bound.isOk())
    return bound.at(function.getName().str());
  for (auto [argument, value] : llvm::zip(body.getArguments(), arguments))
    frame.values[argument] = std::move(value);
  arguments.clear();
  std::vector<Tensor> results;
  ++depth;
  Status status = block(frame, body, results);
  --depth;
  if (!status.isOk())
    return status;
  return results;
}

const std::vector<mlir::Value> &Evaluator::lastUses(mlir::Operation *op) {
  mlir::Block *block = op->getBlock();
  if (analysed.insert(block).second) {
    auto note = [&](mlir::Value value) {
      mlir::Operation *last = nullptr;
      for (mlir::Operation *user : value.getUsers()) {
        mlir::Operation *ancestor = block->findAncestorOpInBlock(*user);
        if (ancestor && (!last || last->isBeforeInBlock(ancestor)))
          last = ancestor;
      }
      if (last)
        deaths[last].push_back(value);
    };
    for (mlir::BlockArgument argument : block->getArguments())
      note(argument);
    for (mlir::Operation &inner : *block)
      for (mlir::Value result : inner.getResults())
        note(result);
  }
  return deaths[op];
}

Status Evaluator::block(Frame &frame, mlir::Block &block,
                        std::vector<Tensor> &yielded) {
  for (mlir::Operation &op : block.without_terminator()) {
    Status status;
    auto found = handlers.find(op.getName().getStringRef());
    if (found != handlers.end())
      status = found->second(*this, frame, &op);
    else if (std::optional<ScalarOp> scalar = findScalarOp(&op))
      status = evalElementwise(*this, frame, &op, *scalar);
    else
      status = Status(StatusCode::Unsupported,
                      "expected an op of the closed list, found " +
                          op.getName().getStringRef().str());
    if (!status.isOk())
      return status.place().empty() ? Status(status.code(),
                                             op.getName().getStringRef().str() +
                                                 ": " + status.message(),
                                             locationText(op.getLoc()))
                                    : status;
    for (mlir::Value value : lastUses(&op))
      frame.values.erase(value);
  }
  yielded.clear();
  for (mlir::Value value : block.getTerminator()->getOperands())
    yielded.push_back(frame.get(value));
  return Status::ok();
}

Status Evaluator::define(Frame &frame, mlir::Operation *op, unsigned result,
                         Tensor tensor) {
  mlir::Value value = op->getResult(result);
  if (auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType())) {
    bool fits = type.getRank() == tensor.rank();
    for (int64_t axis = 0; fits && axis < tensor.rank(); ++axis)
      fits =
          type.isDynamicDim(axis) || type.getDimSize(axis) == tensor.dim(axis);
    if (!fits) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return Status(StatusCode::InvalidArgument, "expected a result of " +
                                                     text + ", found " +
                                                     tensor.typeText());
    }
  }
  if (typed())
    tensor.roundElements();
  if (options.trace)
    options.trace(op, result, tensor);
  frame.values[value] = std::move(tensor);
  return Status::ok();
}

Result<ScalarProgram *> Evaluator::program(Frame &frame, mlir::Block &block) {
  std::unique_ptr<ScalarProgram> &slot = programs[&block];
  if (!slot) {
    Result<ScalarProgram> compiled = ScalarProgram::compile(block, typed());
    if (!compiled)
      return compiled.status();
    slot = std::make_unique<ScalarProgram>(std::move(*compiled));
  }
  slot->bind(
      [&](mlir::Value value) -> const Tensor & { return frame.get(value); });
  return slot.get();
}

Result<Tensor> Evaluator::weight(plan::WeightOp weight) {
  auto found = weights.find(weight.getSymName());
  if (found != weights.end())
    return found->second;
  Result<Tensor> value = computeWeight(weight);
  if (value)
    weights[weight.getSymName()] = *value;
  return value;
}

Result<Tensor> Evaluator::computeWeight(plan::WeightOp weight) {
  if (weight.getDerivedAttr()) {
    auto init = llvm::dyn_cast_if_present<mlir::FunctionOpInterface>(
        symbol(*weight.getDerived()));
    if (!init || init.getNumArguments() != 0 || init.getNumResults() != 1)
      return Status(StatusCode::InvalidData,
                    "expected derived to name a function of no arguments and "
                    "one result",
                    weight.getSymName().str());
    Result<std::vector<Tensor>> results = call(init, {});
    if (!results)
      return results.status();
    return std::move((*results)[0]);
  }
  Result<Tensor> value = options.weights
                             ? options.weights(weight)
                             : readWeight(weight, options.modelFolder);
  if (!value)
    return value.status().at("@" + weight.getSymName().str());
  auto type = llvm::cast<mlir::RankedTensorType>(weight.getType());
  if (value->shape() != type.getShape().vec())
    return Status(StatusCode::InvalidData,
                  "expected a weight of " +
                      interpret::shapeText(type.getShape().vec()) + ", found " +
                      value->typeText(),
                  "@" + weight.getSymName().str());
  return value;
}

void Evaluator::recordCheck(mlir::Operation *op, int64_t site, int64_t index,
                            int64_t value, int64_t bound) {
  if (!check || std::pair(site, index) < std::pair(check->site, check->index))
    check = CheckRecord{op, site, index, value, bound};
}

static void replaceAll(std::string &text, const std::string &key,
                       int64_t value) {
  for (size_t at; (at = text.find(key)) != std::string::npos;)
    text.replace(at, key.size(), std::to_string(value));
}

Status Evaluator::takeCheck() {
  if (!check)
    return Status::ok();
  CheckRecord record = *std::exchange(check, std::nullopt);
  std::string text = "check " + std::to_string(record.site) +
                     " failed at index {index}: value {value}, bound {bound}";
  std::string place = locationText(record.op->getLoc());
  for (auto site : module.getOps<plan::SiteOp>()) {
    if (site.getNumber() != record.site)
      continue;
    text = site.getMessage().str();
    place = site.getNode().str();
  }
  replaceAll(text, "{index}", record.index);
  replaceAll(text, "{value}", record.value);
  replaceAll(text, "{bound}", record.bound);
  return Status(StatusCode::RuntimeError, text, place);
}

Status bindDims(mlir::FunctionOpInterface function,
                llvm::ArrayRef<Tensor> arguments, DimMap &dims) {
  auto describe = [&](unsigned number) {
    auto name = function.getArgAttrOfType<mlir::StringAttr>(number, "xf.name");
    return name ? name.str() : "argument " + std::to_string(number);
  };
  // Names first, then every expression.
  for (bool check : {false, true})
    for (auto [number, tensor] : llvm::enumerate(arguments)) {
      auto attribute =
          function.getArgAttrOfType<mlir::ArrayAttr>(number, "xf.dims");
      if (!attribute)
        continue;
      llvm::SmallVector<DimExpr> exprs = xf::dimsFromAttr(attribute);
      if (static_cast<int64_t>(exprs.size()) != tensor.rank())
        return Status(StatusCode::InvalidArgument,
                      "expected " + describe(number) + " of rank " +
                          std::to_string(exprs.size()) + ", found " +
                          tensor.typeText());
      for (auto [axis, expr] : llvm::enumerate(exprs)) {
        if (!check) {
          if (std::string name = expr.dimName(); !name.empty())
            dims.try_emplace(name, tensor.dim(axis));
          continue;
        }
        Result<int64_t> size = expr.evaluate(dims);
        // A name that no argument binds (the capacity of an unused state).
        if (!size)
          continue;
        if (*size != tensor.dim(axis))
          return Status(StatusCode::InvalidArgument,
                        "expected axis " + std::to_string(axis) + " of " +
                            describe(number) + " (" + expr.str() + ") to be " +
                            std::to_string(*size) + ", found " +
                            std::to_string(tensor.dim(axis)));
      }
    }
  return Status::ok();
}

} // namespace dragoman::interpret
