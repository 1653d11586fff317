//===- TensorArguments.cpp - Tensors on the command line ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/TensorArguments.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

using namespace dragoman;

static Status wrong(const std::string &message) {
  return Status(StatusCode::InvalidArgument, message);
}

Result<std::pair<std::string, std::string>>
dragoman::splitArgument(const std::string &argument) {
  size_t equals = argument.find('=');
  if (equals == 0 || equals == std::string::npos ||
      equals + 1 == argument.size())
    return wrong("expected NAME=VALUE, found '" + argument + "'");
  return std::pair(argument.substr(0, equals), argument.substr(equals + 1));
}

std::string dragoman::describe(ElementType type,
                               const std::vector<int64_t> &shape) {
  std::string text = elementTypeName(type);
  text += "[";
  for (size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis ? "," : "") + std::to_string(shape[axis]);
  return text + "]";
}

std::string dragoman::describe(const TensorDesc &tensor) {
  std::string text = elementTypeName(tensor.type);
  text += "[";
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis)
    text += (axis ? "," : "") + tensor.shape[axis].str();
  return text + "]";
}

namespace {

/// The value of one element as a double, and back, by type.
double load(const NpyArray &tensor, int64_t i) {
  switch (tensor.type) {
  case ElementType::F32:
    return double(tensor.data<float>()[i]);
  case ElementType::F64:
    return tensor.data<double>()[i];
  case ElementType::I64:
    return double(tensor.data<int64_t>()[i]);
  case ElementType::I32:
    return tensor.data<int32_t>()[i];
  case ElementType::I8:
    return tensor.data<int8_t>()[i];
  case ElementType::U8:
  case ElementType::I1:
    return tensor.data<uint8_t>()[i];
  case ElementType::F16:
  case ElementType::BF16:
    break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

template <typename T> void store(NpyArray &tensor, int64_t i, double value) {
  tensor.data<T>()[i] = T(value);
}

bool storeElement(NpyArray &tensor, int64_t i, double value) {
  switch (tensor.type) {
  case ElementType::F32:
    store<float>(tensor, i, value);
    return true;
  case ElementType::F64:
    store<double>(tensor, i, value);
    return true;
  case ElementType::I64:
    store<int64_t>(tensor, i, value);
    return true;
  case ElementType::I32:
    store<int32_t>(tensor, i, value);
    return true;
  case ElementType::I8:
    store<int8_t>(tensor, i, value);
    return true;
  case ElementType::U8:
    store<uint8_t>(tensor, i, value);
    return true;
  case ElementType::I1:
    store<uint8_t>(tensor, i, value != 0);
    return true;
  case ElementType::F16:
  case ElementType::BF16:
    break;
  }
  return false;
}

bool isFloat(ElementType type) {
  return type == ElementType::F32 || type == ElementType::F64 ||
         type == ElementType::F16 || type == ElementType::BF16;
}

/// An array of zeros; refuses a size beyond 2^40 bytes.
Result<NpyArray> makeTensor(ElementType type, std::vector<int64_t> shape) {
  int64_t bytes = elementSize(type);
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > int64_t(1)
                                                                     << 40)
      return wrong("the shape " + describe(type, shape) + " is too large");
  NpyArray tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.bytes.resize(size_t(bytes));
  return tensor;
}

/// "2x3xf32": extents, then the type.
Result<NpyArray> parseShape(std::string_view text) {
  std::vector<int64_t> shape;
  std::string_view rest = text;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    int64_t extent = 0;
    auto [end, failure] =
        std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    rest.remove_prefix(size_t(end - rest.data()));
    if (failure != std::errc() || !rest.starts_with('x'))
      return wrong("expected a shape such as 2x3xf32, found '" +
                   std::string(text) + "'");
    rest.remove_prefix(1);
    shape.push_back(extent);
  }
  Result<ElementType> type = parseElementType(rest);
  if (!type)
    return wrong("expected a shape such as 2x3xf32, found '" +
                 std::string(text) + "'");
  return makeTensor(*type, std::move(shape));
}

Status fillRandom(NpyArray &tensor, std::string_view seedText) {
  uint64_t seed = 0;
  auto [end, failure] =
      std::from_chars(seedText.data(), seedText.data() + seedText.size(), seed);
  if (failure != std::errc() || end != seedText.data() + seedText.size())
    return wrong("expected random:SEED with a whole number, found 'random:" +
                 std::string(seedText) + "'");
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    // Box and Muller over the raw bits: the standard's distributions differ
    // between libraries.
    double u = (double(random() >> 11) + 0.5) * 0x1p-53;
    double v = double(random() >> 11) * 0x1p-53;
    double value = isFloat(tensor.type) ? std::sqrt(-2 * std::log(u)) *
                                              std::cos(6.283185307179586 * v)
                   : tensor.type == ElementType::I1 ? double(v < 0.5)
                                                    : std::floor(v * 10);
    if (!storeElement(tensor, i, value))
      return wrong(std::string("no random values of type ") +
                   elementTypeName(tensor.type));
  }
  return Status::ok();
}

Status fillElements(NpyArray &tensor, std::string_view text) {
  std::vector<double> values;
  while (!text.empty()) {
    size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    double value = 0;
    auto [end, failure] =
        std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure != std::errc() || end != word.data() + word.size())
      return wrong("expected numbers separated by commas, found '" +
                   std::string(word) + "'");
    values.push_back(value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  int64_t count = tensor.elements();
  if (int64_t(values.size()) != count && values.size() != 1)
    return wrong("expected " + std::to_string(count) +
                 " elements or one, found " + std::to_string(values.size()));
  for (int64_t i = 0; i < count; ++i)
    if (!storeElement(tensor, i,
                      values.size() == 1 ? values[0] : values[size_t(i)]))
      return wrong(std::string("no elements of type ") +
                   elementTypeName(tensor.type) + "; use @FILE.npy");
  return Status::ok();
}

} // namespace

Result<NpyArray> dragoman::parseTensor(const std::string &value,
                                       const TensorDesc &wanted) {
  if (value.starts_with("@"))
    return readNpy(value.substr(1));
  if (value.starts_with("random:")) {
    std::vector<int64_t> shape;
    for (const DimExpr &extent : wanted.shape) {
      if (!extent.constant())
        return wrong("expected SHAPE=random:SEED, since " + describe(wanted) +
                     " is not fixed");
      shape.push_back(*extent.constant());
    }
    Result<NpyArray> tensor = makeTensor(wanted.type, std::move(shape));
    if (tensor)
      DRAGOMAN_RETURN_IF_ERROR(fillRandom(*tensor, value.substr(7)));
    return tensor;
  }
  size_t equals = value.find('=');
  if (equals == std::string::npos)
    return wrong("expected @FILE.npy, SHAPE=VALUES or random:SEED, found '" +
                 value + "'");
  Result<NpyArray> tensor = parseShape(value.substr(0, equals));
  if (!tensor)
    return tensor;
  std::string rest = value.substr(equals + 1);
  if (rest.starts_with("@")) {
    Result<NpyArray> read = readNpy(rest.substr(1));
    if (read && (read->type != tensor->type || read->shape != tensor->shape))
      return wrong("expected " + describe(tensor->type, tensor->shape) +
                   ", found " + describe(read->type, read->shape) + " in " +
                   rest.substr(1));
    return read;
  }
  Status filled = rest.starts_with("random:")
                      ? fillRandom(*tensor, rest.substr(7))
                      : fillElements(*tensor, rest);
  if (!filled.isOk())
    return filled;
  return tensor;
}

std::string dragoman::formatTensor(const NpyArray &tensor, int64_t most) {
  std::string text;
  for (int64_t extent : tensor.shape)
    text += std::to_string(extent) + "x";
  text += elementTypeName(tensor.type);
  text += " =";
  int64_t count = tensor.elements();
  for (int64_t i = 0; i < std::min(count, most); ++i) {
    char buffer[48];
    std::snprintf(buffer, sizeof(buffer), " %.9g", load(tensor, i));
    text += buffer;
  }
  return count > most ? text + " ..." : text;
}

Status dragoman::compareTensors(const NpyArray &found, const NpyArray &expected,
                                double rtol, double atol) {
  if (found.type != expected.type || found.shape != expected.shape)
    return Status(StatusCode::InvalidData,
                  "expected " + describe(expected.type, expected.shape) +
                      ", found " + describe(found.type, found.shape));
  bool exact = !isFloat(found.type);
  int64_t differing = 0, worst = -1;
  double largest = -1;
  for (int64_t i = 0; i < found.elements(); ++i) {
    double a = load(found, i), b = load(expected, i);
    double allowed = exact ? 0 : atol + rtol * std::fabs(b);
    // Equal infinities are equal; a NaN on either side fails.
    if (a == b || std::fabs(a - b) <= allowed)
      continue;
    ++differing;
    double excess = std::isnan(a - b) ? std::numeric_limits<double>::infinity()
                                      : std::fabs(a - b) - allowed;
    if (excess <= largest)
      continue;
    largest = excess;
    worst = i;
  }
  if (differing == 0)
    return Status::ok();
  std::string index;
  int64_t rest = worst;
  for (size_t axis = found.shape.size(); axis-- > 0;) {
    index = std::to_string(rest % found.shape[axis]) +
            (index.empty() ? "" : ",") + index;
    rest /= found.shape[axis];
  }
  char values[128];
  std::snprintf(values, sizeof(values),
                "expected %.9g, found %.9g (rtol %g, atol %g)",
                load(expected, worst), load(found, worst), exact ? 0 : rtol,
                exact ? 0 : atol);
  return Status(StatusCode::InvalidData, std::to_string(differing) + " of " +
                                             std::to_string(found.elements()) +
                                             " elements differ, the most at [" +
                                             index + "]: " + values);
}
