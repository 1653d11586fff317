//===- Binding.h - From tensors to dimension values -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to runtime/execute.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EXECUTE_BINDING_H
#define DRAGOMAN_RUNTIME_EXECUTE_BINDING_H

#include "runtime/execute/Program.h"
#include "runtime/execute/Session.h"

namespace dragoman {

/// The dimensions of one run, in the order of the entry's table.
class Binding {
public:
  explicit Binding(const Program &program)
      : program(program), values(program.table.dims.size(), unbound) {}

  static constexpr int64_t unbound = INT64_MIN;

  /// Binds by the inputs and checks their count, types and shapes.
  Status bindInputs(std::span<const TensorView> tensors);
  Status bindOutputs(std::span<const TensorView> tensors);
  /// Binds dimension `name` if the entry has it; it must not contradict.
  Status bindState(const std::string &name, int64_t value);
  /// Refuses a dimension that nothing has bound.
  Status complete() const;

  const int64_t *data() const { return values.data(); }
  /// The value of an extent, or nothing while a dimension of it is unbound.
  std::optional<int64_t> extent(const DimExpr &expr,
                                const Program::Axis &axis) const;

private:
  enum class Side { Input, Output };
  Status bind(Side side, std::span<const TensorView> tensors);
  Status bindAxes(const TensorDesc &desc, const Program::Shape &shape,
                  const TensorView &tensor);
  Status checkAxes(const TensorDesc &desc, const Program::Shape &shape,
                   const TensorView &tensor) const;
  bool isKnown(const DimExpr &expr) const;

  const Program &program;
  std::vector<int64_t> values;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EXECUTE_BINDING_H
