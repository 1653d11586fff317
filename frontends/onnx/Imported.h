//===- Imported.h - What import knows about one ONNX value -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_IMPORTED_H
#define DRAGOMAN_FRONTENDS_ONNX_IMPORTED_H

#include "frontends/onnx/OnnxModel.h"
#include "runtime/artifact/DimExpr.h"

#include "mlir/IR/Value.h"

namespace dragoman::onnx {

using Dims = llvm::SmallVector<DimExpr, 4>;

/// An ONNX value during import. `value` is built when it is first needed, so
/// what only feeds shapes leaves no IR behind.
struct Imported {
  mlir::Value value;
  int32_t type = Undefined;
  Dims dims;
  /// The elements of an integer tensor of static shape, where they follow from
  /// constants and dimensions.
  std::optional<llvm::SmallVector<DimExpr>> content;
  /// The elements, where they are constants of the file.
  const Tensor *constant = nullptr;
  /// The value of every element, where all are one constant.
  std::optional<double> splat;
  /// No element is negative (integers).
  bool nonNegative = false;
  /// Consecutive numbers (Range): positions, where they select rows of a table.
  bool isRange = false;

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  bool isFloat() const {
    return type == Float || type == Double || type == Float16 ||
           type == Bfloat16;
  }
  bool isInteger() const { return type == Int64 || type == Int32; }
  /// The elements as numbers, if all are known constants.
  std::optional<llvm::SmallVector<int64_t>> integers() const {
    if (!content)
      return std::nullopt;
    llvm::SmallVector<int64_t> values;
    for (const DimExpr &element : *content) {
      std::optional<int64_t> value = element.constant();
      if (!value)
        return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }
};

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_IMPORTED_H
