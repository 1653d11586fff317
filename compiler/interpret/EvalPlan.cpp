//===- EvalPlan.cpp - plan ops on values, and reading weights -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Evaluator.h"

#include "dialects/plan/InitialValues.h"
#include "dialects/xf/DimAnalysis.h"
#include "dialects/xf/reference/Reference.h"
#include "runtime/base/MappedFile.h"

#include <bit>
#include <cstring>

namespace dragoman::interpret {

/// The little-endian bytes of one element as a double.
static double decodeFloat(Element element, const char *bytes) {
  switch (element) {
  case Element::F64: {
    double value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  case Element::F32: {
    float value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  default:
    break;
  }
  uint16_t raw;
  std::memcpy(&raw, bytes, sizeof raw);
  if (element == Element::BF16)
    return std::bit_cast<float>(static_cast<uint32_t>(raw) << 16);
  const llvm::fltSemantics &half = llvm::APFloat::IEEEhalf();
  return llvm::APFloat(half, llvm::APInt(16, raw)).convertToDouble();
}

static Result<Tensor> readFile(plan::FileAttr file, Element element,
                               std::vector<int64_t> shape,
                               const std::string &folder) {
  std::string path = folder.empty()
                         ? file.getPath().str()
                         : folder + "/" + file.getPath().getValue().str();
  Result<MappedFile> mapped = MappedFile::open(path);
  if (!mapped)
    return mapped.status();
  std::string_view bytes = mapped->bytes();
  Tensor tensor(element, std::move(shape));
  int64_t width = element == Element::I1 ? 1
                  : isFloat(element)     ? (element == Element::F64   ? 8
                                            : element == Element::F32 ? 4
                                                                      : 2)
                                         : integerBits(element) / 8;
  uint64_t need = tensor.elements() * width;
  uint64_t offset = file.getOffset();
  if (offset > bytes.size() || need > bytes.size() - offset)
    return Status(StatusCode::InvalidData,
                  "expected " + std::to_string(need) + " bytes at offset " +
                      std::to_string(offset) + ", found a file of " +
                      std::to_string(bytes.size()),
                  path);
  const char *data = bytes.data() + offset;
  if (isFloat(element)) {
    double *out = tensor.mutableFloats();
    for (int64_t i = 0; i < tensor.elements(); ++i)
      out[i] = decodeFloat(element, data + i * width);
    return tensor;
  }
  int64_t *out = tensor.mutableIntegers();
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    int64_t value = 0;
    std::memcpy(&value, data + i * width, width);
    out[i] = wrapTo(element, value);
  }
  return tensor;
}

Result<Tensor> readWeight(plan::WeightOp weight, const std::string &folder) {
  auto type = llvm::cast<mlir::RankedTensorType>(weight.getType());
  std::optional<Element> element = xf::elementOf(type);
  if (!element)
    return Status(StatusCode::Unsupported,
                  "expected a weight of floats or integers");
  if (auto file = llvm::dyn_cast<plan::FileAttr>(*weight.getSource()))
    return readFile(file, *element, type.getShape().vec(), folder);
  Tensor tensor(*element, type.getShape().vec());
  double *out = tensor.mutableFloats();
  plan::forInitialValues(
      *weight.getSource(), type.getShape(),
      [&](int64_t i, double value) { out[i] = roundTo(*element, value); });
  return tensor;
}

static Status evalLoad(Evaluator &evaluator, Frame &frame,
                       mlir::Operation *op) {
  auto weight = llvm::cast<plan::WeightOp>(
      evaluator.symbol(llvm::cast<plan::LoadOp>(op).getWeight()));
  Result<Tensor> value = evaluator.weight(weight);
  if (!value)
    return value.status();
  return evaluator.define(frame, op, 0, std::move(*value));
}

static Result<int64_t> evaluateText(llvm::StringRef text, const DimMap &dims) {
  Result<DimExpr> expr = DimExpr::parse(text.str());
  if (!expr)
    return expr.status();
  return expr->evaluate(dims);
}

static Status evalDispatch(Evaluator &evaluator, Frame &frame,
                           mlir::Operation *op) {
  auto dispatch = llvm::cast<plan::DispatchOp>(op);
  auto kernel =
      llvm::cast<plan::KernelOp>(evaluator.symbol(dispatch.getKernel()));
  if (dispatch.getResults().size() != kernel.getResultTypes().size())
    return Status(StatusCode::Unsupported,
                  "expected a dispatch on values, found one on slots");
  DimMap dims;
  for (auto [name, text] :
       llvm::zip(kernel.getDims().getAsRange<mlir::StringAttr>(),
                 dispatch.getDims().getAsRange<mlir::StringAttr>())) {
    Result<int64_t> size = evaluateText(text.getValue(), frame.dims);
    if (!size)
      return size.status();
    dims[name.str()] = *size;
  }
  std::vector<Tensor> arguments;
  for (mlir::Value operand : dispatch.getOperands_())
    arguments.push_back(frame.get(operand));
  for (mlir::Value value : evaluator.lastUses(op))
    frame.values.erase(value);
  Result<std::vector<Tensor>> results =
      evaluator.call(kernel, std::move(arguments), std::move(dims));
  if (!results)
    return results.status();
  for (auto [number, result] : llvm::enumerate(*results))
    DRAGOMAN_RETURN_IF_ERROR(
        evaluator.define(frame, op, number, std::move(result)));
  return Status::ok();
}

static Status evalLoop(Evaluator &evaluator, Frame &frame,
                       mlir::Operation *op) {
  auto loop = llvm::cast<plan::LoopOp>(op);
  Result<int64_t> trips = evaluateText(loop.getTrips(), frame.dims);
  if (!trips)
    return trips.status();
  mlir::Block &body = loop.getBody().front();
  std::vector<Tensor> values;
  for (mlir::Value init : loop.getInits())
    values.push_back(frame.get(init));
  for (int64_t i = 0; i < *trips; ++i) {
    frame.dims[loop.getDim().str()] = i;
    if (body.getNumArguments() > 0)
      frame.values[body.getArgument(0)] = Tensor::scalar(Element::Index, i);
    for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), values))
      frame.values[argument] = std::move(value);
    DRAGOMAN_RETURN_IF_ERROR(evaluator.block(frame, body, values));
  }
  frame.dims.erase(loop.getDim().str());
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    DRAGOMAN_RETURN_IF_ERROR(
        evaluator.define(frame, op, number, std::move(values[number])));
  return Status::ok();
}

static Status evalCheck(Evaluator &evaluator, Frame &frame,
                        mlir::Operation *op) {
  auto check = llvm::cast<plan::CheckOp>(op);
  Result<int64_t> left = evaluateText(check.getLeft(), frame.dims);
  Result<int64_t> right = evaluateText(check.getRight(), frame.dims);
  for (const Result<int64_t> *side : {&left, &right})
    if (!*side)
      return side->status();
  if (*left != *right)
    evaluator.recordCheck(op, check.getSite(), 0, *left, *right);
  return Status::ok();
}

void registerPlanOps(Evaluator::HandlerTable &handlers) {
  handlers["plan.check"] = evalCheck;
  handlers["plan.dispatch"] = evalDispatch;
  handlers["plan.load"] = evalLoad;
  handlers["plan.loop"] = evalLoop;
}

} // namespace dragoman::interpret
