//===- Tensor.h - The value type of references and interpreter --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense row-major tensor. Floats of every type are stored as double, integers
// as int64 (sign-extended from their width; i1 is 0 or 1). Copies share storage
// until one is written, so passing tensors by value is cheap.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_REFERENCE_TENSOR_H
#define DRAGOMAN_DIALECTS_XF_REFERENCE_TENSOR_H

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dragoman::interpret {

enum class Element : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  I1,
  I8,
  I16,
  I32,
  I64,
  Index
};

inline bool isFloat(Element element) { return element <= Element::BF16; }
/// Bits of an integer element; Index counts as 64.
int integerBits(Element element);
/// "f32", "i64", "index", ...
const char *elementName(Element element);

/// `value` rounded to the nearest `element` (ties to even, overflow to
/// infinity; subnormals are kept).
double roundTo(Element element, double value);
/// `value` wrapped to the element's width.
int64_t wrapTo(Element element, int64_t value);

class Tensor {
public:
  /// An f64 scalar 0.
  Tensor() : Tensor(Element::F64, {}) {}
  /// Zeros.
  Tensor(Element element, std::vector<int64_t> shape);

  static Tensor scalar(Element element, double value);
  static Tensor scalar(Element element, int64_t value);

  Element element() const { return type; }
  bool isFloat() const { return interpret::isFloat(type); }
  const std::vector<int64_t> &shape() const { return sizes; }
  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
  int64_t dim(int64_t axis) const { return sizes[axis]; }
  int64_t elements() const { return count; }
  /// Row-major strides in elements.
  std::vector<int64_t> strides() const;

  const double *floats() const {
    assert(isFloat());
    return doubles->data();
  }
  const int64_t *integers() const {
    assert(!isFloat());
    return longs->data();
  }
  /// Writable storage, not shared with any copy.
  double *mutableFloats();
  int64_t *mutableIntegers();

  /// Any element as double, for comparisons and messages.
  double at(int64_t linear) const {
    return isFloat() ? (*doubles)[linear]
                     : static_cast<double>((*longs)[linear]);
  }

  /// The same elements under another shape of the same size.
  Tensor reshaped(std::vector<int64_t> shape) const;
  /// The same elements as another type: converted exactly or as C++ does.
  Tensor converted(Element element) const;
  /// Rounds every element to the element type, in place.
  void roundElements();

  /// "2x3xf32".
  std::string typeText() const;

private:
  Element type;
  std::vector<int64_t> sizes;
  int64_t count;
  std::shared_ptr<std::vector<double>> doubles;
  std::shared_ptr<std::vector<int64_t>> longs;
};

/// "2x3" or "scalar".
std::string shapeText(const std::vector<int64_t> &shape);
/// "1,0,2": the indices of a linear index.
std::string indexText(const std::vector<int64_t> &shape, int64_t linear);

} // namespace dragoman::interpret

#endif // DRAGOMAN_DIALECTS_XF_REFERENCE_TENSOR_H
