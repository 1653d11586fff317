//===- Binding.cpp - From tensors to dimension values -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/execute/Binding.h"

using namespace dragoman;

static Status mismatch(const std::string &message) {
  return Status(StatusCode::InvalidArgument, message);
}

/// "[B=2,S=5,32]": what is known of a shape.
static std::string describe(const TensorDesc &desc,
                            const std::function<std::string(size_t)> &value) {
  std::string text = "[";
  for (size_t axis = 0; axis < desc.shape.size(); ++axis) {
    std::string name = desc.shape[axis].str(), number = value(axis);
    text += axis ? "," : "";
    text += number.empty() || number == name ? name : name + "=" + number;
  }
  return text + "]";
}

static std::string describe(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis ? "," : "") + std::to_string(shape[axis]);
  return text + "]";
}

bool Binding::isKnown(const DimExpr &expr) const {
  for (const std::string &name : expr.names()) {
    int32_t dim = program.dimNumber(name);
    if (dim < 0 || values[dim] == unbound)
      return false;
  }
  return true;
}

std::optional<int64_t> Binding::extent(const DimExpr &expr,
                                       const Program::Axis &axis) const {
  if (axis.dim >= 0) {
    if (values[axis.dim] == unbound)
      return std::nullopt;
    return values[axis.dim];
  }
  if (!isKnown(expr))
    return std::nullopt;
  return program.exprs[axis.extent].evaluate(values.data());
}

Status Binding::bindAxes(const TensorDesc &desc, const Program::Shape &shape,
                         const TensorView &tensor) {
  if (tensor.type != desc.type)
    return mismatch(std::string("expected element type ") +
                    elementTypeName(desc.type) + ", found " +
                    elementTypeName(tensor.type));
  if (tensor.shape.size() != shape.size())
    return mismatch("expected " + std::to_string(shape.size()) + " axes " +
                    describe(desc, [](size_t) { return std::string(); }) +
                    ", found " + std::to_string(tensor.shape.size()) + " " +
                    describe(tensor.shape));
  int64_t elements = 1;
  bool isEmpty = false, isHuge = false;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t found = tensor.shape[axis];
    if (found < 0)
      return mismatch("expected extents of at least 0, found " +
                      describe(tensor.shape));
    isEmpty |= found == 0;
    isHuge |= __builtin_mul_overflow(elements, found, &elements);
    int32_t dim = shape[axis].dim;
    if (dim >= 0 && values[dim] == unbound)
      values[dim] = found;
  }
  isHuge |= elements > INT64_MAX / elementSize(desc.type);
  if (!isEmpty && isHuge)
    return mismatch("expected a tensor below 2^63 bytes, found shape " +
                    describe(tensor.shape));
  if (!isEmpty && !tensor.data)
    return mismatch("expected data, found a null pointer");
  return Status::ok();
}

Status Binding::checkAxes(const TensorDesc &desc, const Program::Shape &shape,
                          const TensorView &tensor) const {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    std::optional<int64_t> expected = extent(desc.shape[axis], shape[axis]);
    if (!expected || *expected == tensor.shape[axis])
      continue;
    auto value = [&](size_t i) {
      std::optional<int64_t> known = extent(desc.shape[i], shape[i]);
      return known ? std::to_string(*known) : std::string();
    };
    return mismatch("expected shape " + describe(desc, value) + ", found " +
                    describe(tensor.shape));
  }
  return Status::ok();
}

/// First every plain name is bound, then every extent is compared, so that the
/// order of tensors does not matter.
Status Binding::bind(Side side, std::span<const TensorView> tensors) {
  bool isInput = side == Side::Input;
  const std::vector<TensorDesc> &descs =
      isInput ? program.table.inputs : program.table.outputs;
  const std::vector<Program::Shape> &shapes =
      isInput ? program.inputs : program.outputs;
  const char *kind = isInput ? "input" : "output";
  std::string entry = "entry '" + program.table.name + "'";
  if (tensors.size() != descs.size())
    return mismatch("expected " + std::to_string(descs.size()) + " " + kind +
                    "s, found " + std::to_string(tensors.size()))
        .at(entry);
  auto place = [&](size_t i) {
    return entry + ": " + kind + " '" + descs[i].name + "'";
  };
  for (size_t i = 0; i < tensors.size(); ++i)
    if (Status status = bindAxes(descs[i], shapes[i], tensors[i]); !status)
      return status.at(place(i));
  for (size_t i = 0; i < tensors.size(); ++i)
    if (Status status = checkAxes(descs[i], shapes[i], tensors[i]); !status)
      return status.at(place(i));
  return Status::ok();
}

Status Binding::bindInputs(std::span<const TensorView> tensors) {
  return bind(Side::Input, tensors);
}

Status Binding::bindOutputs(std::span<const TensorView> tensors) {
  return bind(Side::Output, tensors);
}

Status Binding::bindState(const std::string &name, int64_t value) {
  int32_t dim = program.dimNumber(name);
  if (dim < 0)
    return Status::ok();
  if (values[dim] == unbound)
    values[dim] = value;
  if (values[dim] == value)
    return Status::ok();
  return mismatch("expected " + name + "=" + std::to_string(value) +
                  " as reserved, found " + std::to_string(values[dim]) +
                  " in the tensors' shapes")
      .at("entry '" + program.table.name + "'");
}

Status Binding::complete() const {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] == unbound)
      return mismatch("expected a value of dimension '" +
                      program.table.dims[i] +
                      "' from a tensor's shape or from reserve")
          .at("entry '" + program.table.name + "'");
  return Status::ok();
}
