//===- ScalarOps.h - The meaning of arith and math on scalars ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_SCALAROPS_H
#define DRAGOMAN_COMPILER_INTERPRET_SCALAROPS_H

#include "dialects/xf/reference/Tensor.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace dragoman::interpret {

/// A float or an integer, by the type of the value it stands for.
union Cell {
  double f;
  int64_t i;
};

/// What a scalar function needs to know of its op.
struct ScalarInfo {
  Element operand; ///< of the first operand
  Element result;
  int64_t predicate = 0; ///< of cmpi and cmpf
};

/// `operands` has as many cells as the op has operands, at most 3. Float
/// results are not rounded; integer results are wrapped by the caller.
using ScalarFunction = Cell (*)(const Cell *operands, const ScalarInfo &info);

struct ScalarOp {
  ScalarFunction function;
  ScalarInfo info;
};

/// The scalar meaning of an arith or math op of the closed list (on scalars, or
/// elementwise on tensors), or nothing.
std::optional<ScalarOp> findScalarOp(mlir::Operation *op);

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_SCALAROPS_H
