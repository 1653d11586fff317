//===- ScalarProgram.h - Scalar blocks compiled for evaluation --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_SCALARPROGRAM_H
#define DRAGOMAN_COMPILER_INTERPRET_SCALARPROGRAM_H

#include "compiler/interpret/ScalarOps.h"
#include "runtime/base/Status.h"

#include "mlir/IR/Block.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace dragoman::interpret {

/// The body of a linalg op or of a region of an xf op: scalar arith and math,
/// constants, linalg.index, tensor.extract and tensor.dim of tensors defined
/// outside, and scalars defined outside.
class ScalarProgram {
public:
  /// Compiles `block`; an error names an op that is not scalar. With `rounded`,
  /// each float result is rounded to its type.
  static Result<ScalarProgram> compile(mlir::Block &block, bool rounded);

  /// Takes the values that the block uses from outside. `lookup` gives them.
  void bind(llvm::function_ref<const Tensor &(mlir::Value)> lookup);

  /// The cells of the block's arguments, to be set before run.
  Cell *arguments() { return cells.data(); }
  /// Evaluates the block; `index` holds the loop indices (linalg.index).
  void run(const int64_t *index);
  /// The n-th operand of the terminator.
  Cell result(unsigned n) const { return cells[results[n]]; }
  /// An error if a run since bind read a tensor outside its bounds.
  Status status() const { return failure; }

private:
  enum class Kind : uint8_t { Scalar, LoopIndex, Extract, Dim };
  struct Instruction {
    Kind kind = Kind::Scalar;
    ScalarOp scalar = {};
    bool rounded = false;
    uint32_t target = 0;
    unsigned number = 0; ///< loop number, or number of the captured tensor
    llvm::SmallVector<uint32_t, 4> sources;
    mlir::Operation *op = nullptr;
  };
  Status add(mlir::Operation &op, bool rounded,
             llvm::DenseMap<mlir::Value, uint32_t> &numbers);
  uint32_t cellOf(mlir::Value value,
                  llvm::DenseMap<mlir::Value, uint32_t> &numbers);
  unsigned tensorNumber(mlir::Value value);
  void extract(const Instruction &instruction);

  std::vector<Instruction> code;
  std::vector<Cell> cells;
  std::vector<uint32_t> results;
  std::vector<std::pair<mlir::Value, uint32_t>> capturedScalars;
  std::vector<mlir::Value> capturedTensors;
  std::vector<Tensor> tensors;
  Status failure;
};

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_SCALARPROGRAM_H
