//===- Match.h - Reading elementwise graphs by meaning ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The raise passes look at values, not at an exporter's names: an elementwise
// op is a linalg.generic with parallel iterators whose body yields one scalar
// op of its inputs and constants.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_GRAPH_MATCH_H
#define DRAGOMAN_COMPILER_GRAPH_MATCH_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace dragoman {

/// One elementwise computation: the generic, and the scalar op it yields.
struct Elementwise {
  mlir::linalg::GenericOp generic;
  mlir::Operation *scalar = nullptr;

  explicit operator bool() const { return scalar != nullptr; }

  /// The tensor that feeds operand `index` of the scalar op, or null if that
  /// operand is a constant or another scalar op.
  mlir::Value tensor(unsigned index) const;
  /// The constant that feeds operand `index`, from the body or from a splat.
  std::optional<double> constant(unsigned index) const;
};

/// The generic that computes `value`, if it is elementwise with one result.
Elementwise matchElementwise(mlir::Value value);

/// The tensor behind a scalar of `generic`'s body, or null.
mlir::Value tensorOfScalar(mlir::linalg::GenericOp generic, mlir::Value scalar);
/// The number that a scalar of `generic`'s body is, if it is constant.
std::optional<double> constantOfScalar(mlir::linalg::GenericOp generic,
                                       mlir::Value scalar);

/// The value of a splat or one-element constant tensor or scalar.
std::optional<double> constantValue(mlir::Value value);

/// `value` = OpT(a, b) elementwise on two tensors (broadcasting allowed).
template <typename OpT>
std::optional<std::pair<mlir::Value, mlir::Value>>
matchBinary(mlir::Value value) {
  Elementwise match = matchElementwise(value);
  if (!match || !llvm::isa<OpT>(match.scalar))
    return std::nullopt;
  mlir::Value a = match.tensor(0), b = match.tensor(1);
  if (!a || !b)
    return std::nullopt;
  return std::make_pair(a, b);
}

/// `value` = OpT(a) elementwise.
template <typename OpT> mlir::Value matchUnary(mlir::Value value) {
  Elementwise match = matchElementwise(value);
  if (!match || !llvm::isa<OpT>(match.scalar))
    return {};
  return match.tensor(0);
}

/// `value` = OpT(a, c) with a constant c; with `commutative` also OpT(c, a).
template <typename OpT>
std::optional<std::pair<mlir::Value, double>>
matchWithConstant(mlir::Value value, bool commutative) {
  Elementwise match = matchElementwise(value);
  if (!match || !llvm::isa<OpT>(match.scalar))
    return std::nullopt;
  for (unsigned side = 0; side < (commutative ? 2u : 1u); ++side) {
    mlir::Value tensor = match.tensor(side);
    std::optional<double> constant = match.constant(1 - side);
    if (tensor && constant && !match.constant(side))
      return std::make_pair(tensor, *constant);
  }
  return std::nullopt;
}

/// `value` = 1 / (1 + exp(-a)), in one generic or in parts.
mlir::Value matchSigmoid(mlir::Value value);

/// `value` = mean of a over its last axis (kept as 1 or dropped).
mlir::Value matchMeanOfLastAxis(mlir::Value value);

/// `value` without reshapes that only add or drop axes of size 1.
mlir::Value stripUnitReshapes(mlir::Value value);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_GRAPH_MATCH_H
