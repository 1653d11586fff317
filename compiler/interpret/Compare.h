//===- Compare.h - Equality of values within the tolerance table ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_COMPARE_H
#define DRAGOMAN_COMPILER_INTERPRET_COMPARE_H

#include "dialects/xf/Interfaces.h"
#include "dialects/xf/reference/Tensor.h"
#include "runtime/base/Status.h"

#include <map>
#include <optional>

namespace dragoman::interpret {

/// |a - b| <= atol + rtol * |b|.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

/// What kind of op made a value: its role in kernels, or nothing for a value
/// behind many ops.
using OpClass = std::optional<xf::KernelRole>;

/// The class of the op that defines `value`; nothing for arguments, and for
/// what is computed and then moved.
OpClass classOf(mlir::Value value);

/// The rows of test/tolerances.json: one per type and class of op.
struct ToleranceTable {
  std::map<std::pair<Element, OpClass>, Tolerance> rows;
  double ratio = 2;

  /// The row of a float element and a class; without one the row of the type
  /// alone. Exact for integers.
  Tolerance of(Element element, OpClass opClass = std::nullopt) const;
  /// Parses the file's text.
  static Result<ToleranceTable> parse(const std::string &text);
  /// The table that was in the tree at build time.
  static const ToleranceTable &builtIn();
};

/// Where two tensors differ first.
struct Difference {
  int64_t index = 0; ///< linear
  double actual = 0, expected = 0;
};

/// The first element of `actual` beyond the tolerance from `expected`, or
/// nothing. NaN matches NaN only, an infinity itself only. The shapes are
/// equal.
std::optional<Difference> firstDifference(const Tensor &actual,
                                          const Tensor &expected,
                                          Tolerance tolerance);

/// The largest |a - b| over elements that are finite in both.
double largestError(const Tensor &a, const Tensor &b);

/// "element [0,2] is 1.5, expected 2 within 1e-05 + 1.3e-06 relative".
std::string differenceText(const Difference &difference,
                           const std::vector<int64_t> &shape,
                           Tolerance tolerance);

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_COMPARE_H
