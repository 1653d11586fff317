//===- Reference.cpp - Table and helpers of the references ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Reference.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::xf;
using interpret::Element;

Tensor &ReferenceCall::operand(mlir::Value value) {
  for (auto [number, candidate] : llvm::enumerate(op->getOperands()))
    if (candidate == value)
      return operands[number];
  llvm_unreachable("expected an operand of the op");
}

Tensor ReferenceCall::take(mlir::Value value) {
  if (llvm::count(op->getOperands(), value) > 1)
    return operand(value);
  return std::exchange(operand(value), Tensor());
}

const Tensor *ReferenceCall::optional(mlir::Value value) {
  return value ? &operand(value) : nullptr;
}

Tensor ReferenceCall::makeResult(unsigned number, std::vector<int64_t> shape) {
  return Tensor(*elementOf(op->getResult(number).getType()), std::move(shape));
}

double ReferenceCall::region(mlir::Region &body, double value, int64_t b,
                             int64_t h, int64_t i, int64_t j) {
  llvm::SmallVector<double> results;
  evaluate(body, {value, double(b), double(h), double(i), double(j)}, results);
  return results[0];
}

ReferenceFunction xf::findReference(llvm::StringRef opName) {
  if (!opName.consume_front("xf."))
    return nullptr;
  return llvm::StringSwitch<ReferenceFunction>(opName)
#define XF_OP(Class, Stem, ...) .Case(#Stem, reference##Class)
#include "dialects/xf/Ops.def"
      .Default(nullptr);
}

std::optional<Element> xf::elementOf(mlir::Type type) {
  type = mlir::getElementTypeOrSelf(type);
  if (type.isF32())
    return Element::F32;
  if (type.isF64())
    return Element::F64;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isIndex())
    return Element::Index;
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return Element::I1;
  case 8:
    return Element::I8;
  case 16:
    return Element::I16;
  case 32:
    return Element::I32;
  case 64:
    return Element::I64;
  default:
    return std::nullopt;
  }
}

Status xf::sizeError(llvm::StringRef what, const std::vector<int64_t> &expected,
                     const std::vector<int64_t> &found) {
  return Status(StatusCode::InvalidArgument,
                "expected " + what.str() + " of " +
                    interpret::shapeText(expected) + ", found " +
                    interpret::shapeText(found));
}

BroadcastReader::BroadcastReader(const Tensor &tensor, mlir::Type type)
    : tensor(tensor), strides(tensor.strides()) {
  for (int64_t size : llvm::cast<mlir::RankedTensorType>(type).getShape())
    broadcast.push_back(size == 1);
}

int64_t BroadcastReader::linear(const int64_t *index, size_t rank) const {
  int64_t result = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (broadcast[axis])
      continue;
    if (index[axis] >= tensor.dim(axis))
      return -1;
    result += index[axis] * strides[axis];
  }
  return result;
}

Status BroadcastReader::fits(llvm::StringRef what,
                             const std::vector<int64_t> &shape,
                             bool shorterLast) const {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    bool shorter = shorterLast && axis + 1 == shape.size() &&
                   tensor.dim(axis) < shape[axis];
    if (!broadcast[axis] && tensor.dim(axis) != shape[axis] && !shorter)
      return sizeError(what, shape, tensor.shape());
  }
  return Status::ok();
}

static double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double xf::applyActivation(llvm::StringRef name, double x) {
  if (name == "none" || name == "identity")
    return x;
  if (name == "relu")
    return x < 0 ? 0.0 : x;
  if (name == "gelu")
    return 0.5 * x * (1.0 + std::erf(x * M_SQRT1_2));
  if (name == "gelu_tanh")
    return 0.5 * x *
           (1.0 + std::tanh(std::sqrt(M_2_PI) * (x + 0.044715 * x * x * x)));
  if (name == "silu")
    return x / (1.0 + std::exp(-x));
  if (name == "sigmoid")
    return sigmoid(x);
  assert(name == "tanh" && "a legal activation");
  return std::tanh(x);
}
