//===- Tensor.cpp - The value type of references and interpreter ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dragoman::interpret {

int integerBits(Element element) {
  switch (element) {
  case Element::I1:
    return 1;
  case Element::I8:
    return 8;
  case Element::I16:
    return 16;
  case Element::I32:
    return 32;
  default:
    return 64;
  }
}

const char *elementName(Element element) {
  static constexpr const char *names[] = {"f64", "f32", "f16", "bf16", "i1",
                                          "i8",  "i16", "i32", "i64",  "index"};
  return names[static_cast<int>(element)];
}

/// `value` rounded to `precision` significand bits with exponents from
/// `minExponent` on; `largest` is the largest finite value.
static double roundBits(double value, int precision, int minExponent,
                        double largest) {
  if (!std::isfinite(value) || value == 0)
    return value;
  int exponent = std::max(std::ilogb(value), minExponent);
  double unit = std::ldexp(1.0, exponent - precision + 1);
  double rounded = std::nearbyint(value / unit) * unit;
  if (std::abs(rounded) > largest)
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

double roundTo(Element element, double value) {
  switch (element) {
  case Element::F32:
    return static_cast<float>(value);
  case Element::F16:
    return roundBits(value, 11, -14, 65504.0);
  case Element::BF16:
    return roundBits(value, 8, -126, 0x1.fep127);
  default:
    return value;
  }
}

int64_t wrapTo(Element element, int64_t value) {
  switch (element) {
  case Element::I1:
    return value & 1;
  case Element::I8:
    return static_cast<int8_t>(value);
  case Element::I16:
    return static_cast<int16_t>(value);
  case Element::I32:
    return static_cast<int32_t>(value);
  default:
    return value;
  }
}

Tensor::Tensor(Element element, std::vector<int64_t> shape)
    : type(element), sizes(std::move(shape)), count(1) {
  for (int64_t size : sizes)
    count *= size;
  if (isFloat())
    doubles = std::make_shared<std::vector<double>>(count);
  else
    longs = std::make_shared<std::vector<int64_t>>(count);
}

Tensor Tensor::scalar(Element element, double value) {
  Tensor tensor(element, {});
  tensor.mutableFloats()[0] = value;
  return tensor;
}

Tensor Tensor::scalar(Element element, int64_t value) {
  Tensor tensor(element, {});
  tensor.mutableIntegers()[0] = value;
  return tensor;
}

std::vector<int64_t> Tensor::strides() const {
  std::vector<int64_t> result(sizes.size());
  int64_t stride = 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    result[axis] = stride;
    stride *= sizes[axis];
  }
  return result;
}

double *Tensor::mutableFloats() {
  assert(isFloat());
  if (doubles.use_count() > 1)
    doubles = std::make_shared<std::vector<double>>(*doubles);
  return doubles->data();
}

int64_t *Tensor::mutableIntegers() {
  assert(!isFloat());
  if (longs.use_count() > 1)
    longs = std::make_shared<std::vector<int64_t>>(*longs);
  return longs->data();
}

Tensor Tensor::reshaped(std::vector<int64_t> shape) const {
  Tensor result = *this;
  result.sizes = std::move(shape);
#ifndef NDEBUG
  int64_t size = 1;
  for (int64_t extent : result.sizes)
    size *= extent;
  assert(size == count && "a reshape keeps the number of elements");
#endif
  return result;
}

Tensor Tensor::converted(Element element) const {
  if (element == type)
    return *this;
  Tensor result(element, sizes);
  if (result.isFloat()) {
    double *out = result.mutableFloats();
    for (int64_t i = 0; i < count; ++i)
      out[i] = roundTo(element, at(i));
    return result;
  }
  int64_t *out = result.mutableIntegers();
  for (int64_t i = 0; i < count; ++i)
    out[i] = wrapTo(element, isFloat() ? static_cast<int64_t>((*doubles)[i])
                                       : (*longs)[i]);
  return result;
}

void Tensor::roundElements() {
  if (!isFloat() || type == Element::F64)
    return;
  double *data = mutableFloats();
  for (int64_t i = 0; i < count; ++i)
    data[i] = roundTo(type, data[i]);
}

std::string Tensor::typeText() const {
  std::string text;
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + elementName(type);
}

std::string shapeText(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::string indexText(const std::vector<int64_t> &shape, int64_t linear) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0;) {
    text =
        std::to_string(linear % shape[axis]) + (text.empty() ? "" : ",") + text;
    linear /= shape[axis];
  }
  return text;
}

} // namespace dragoman::interpret
