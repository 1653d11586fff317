//===- PullEvaluator.h - Values of tensors, pulled by element ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's producers are never stored: to know 16 elements of a tensor, the
// evaluator walks to its definition and asks for the elements that those need,
// down to loads from the arguments. Values are kept as narrow as they are: one
// scalar for all lanes, a ramp of indices, or a vector.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_PULLEVALUATOR_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_PULLEVALUATOR_H

#include "compiler/lowering/cpu/KernelBody.h"

#include "mlir/IR/AffineExpr.h"

namespace dragoman {

/// Sixteen lanes of one element type.
struct Lanes {
  enum Kind { Uniform, Ramp, Vector };
  Kind kind = Uniform;
  mlir::Value value;    ///< the scalar, the ramp's lane 0, or the vector
  int64_t step = 0;     ///< of a ramp: lane i holds value + i * step
  bool aligned = false; ///< uniform or ramp: value is a multiple of 16
  bool inside = false;  ///< an index known to lie inside its axis
};

class PullEvaluator {
public:
  using Value = mlir::Value;

  explicit PullEvaluator(KernelBody &body) : body(body), k(body.k) {}

  /// Elements `at` (one index per axis) of `tensor`. Lanes outside `mask` (null
  /// = all are inside) are never read and hold anything.
  Lanes read(Value tensor, llvm::ArrayRef<Lanes> at, Value mask);
  /// The same as a vector, floats or integers as they are.
  Value readVector(Value tensor, llvm::ArrayRef<Lanes> at, Value mask) {
    return vector(read(tensor, at, mask));
  }
  /// Writes element type and layout as memory holds them; `offset` counts
  /// elements of the slot.
  void write(int64_t slot, const Lanes &offset, const Lanes &value, Value mask);

  /// From here on `tensor` reads as `value`, whatever the index: for results
  /// of the root while its epilogue is pulled.
  void substitute(Value tensor, const Lanes &value);
  /// Forgets values of earlier elements; call it per vector.
  void newElements() { memo.clear(); }

  /// The scalar ops of `block` with its arguments bound to `arguments`; returns
  /// the operands of the terminator. `iteration` answers linalg.index.
  llvm::SmallVector<Lanes> evaluateBlock(mlir::Block &block,
                                         llvm::ArrayRef<Lanes> arguments,
                                         llvm::ArrayRef<Lanes> iteration,
                                         Value mask);

  /// One scalar op on lanes.
  Lanes evaluateOp(mlir::Operation *op, llvm::ArrayRef<Lanes> operands,
                   Value mask);
  /// An affine expression of indices.
  Lanes affine(mlir::AffineExpr expr, llvm::ArrayRef<Lanes> dims);

  //===--- Lanes ----------------------------------------------------------===//
  Lanes uniform(Value scalar, bool aligned = false, bool inside = false) {
    return {Lanes::Uniform, scalar, 0, aligned, inside};
  }
  Lanes constant(int64_t index) {
    return uniform(k.index(index), index % kernelLanes == 0, true);
  }
  Lanes ramp(Value first, int64_t step, bool aligned, bool inside = true) {
    return {Lanes::Ramp, first, step, aligned, inside};
  }
  Lanes fromVector(Value vector) {
    return {Lanes::Vector, vector, 0, false, false};
  }
  Value vector(const Lanes &lanes);
  Lanes add(const Lanes &x, const Lanes &y);
  Lanes mul(const Lanes &x, Value factor);
  /// Quotient and remainder of an index by a size.
  std::pair<Lanes, Lanes> divide(const Lanes &x, Value size);
  /// The indices of the axes in row-major order of `sizes`.
  llvm::SmallVector<Lanes> delinearize(Lanes linear,
                                       llvm::ArrayRef<Value> sizes);
  /// Clamps an index that data decides into 0..size-1.
  Lanes clamp(const Lanes &index, Value size);

private:
  Lanes compute(Value tensor, llvm::ArrayRef<Lanes> at, Value mask);
  Lanes load(const StridedView &view, llvm::ArrayRef<Lanes> at, Value mask);
  Lanes loadConstant(mlir::Operation *op, llvm::ArrayRef<Lanes> at);
  Lanes readGeneric(mlir::Operation *op, unsigned result,
                    llvm::ArrayRef<Lanes> at, Value mask);
  Lanes readReshape(mlir::Operation *op, llvm::ArrayRef<Lanes> at, Value mask);
  Lanes readSlice(mlir::Operation *op, llvm::ArrayRef<Lanes> at, Value mask);
  Lanes readConcat(mlir::Operation *op, llvm::ArrayRef<Lanes> at, Value mask);
  Lanes readWindow(Value source, Value otherwise, const Lanes &fill,
                   llvm::ArrayRef<mlir::OpFoldResult> offsets,
                   llvm::ArrayRef<Lanes> at, Value mask);
  Lanes readEmbedding(mlir::Operation *op, llvm::ArrayRef<Lanes> at,
                      Value mask);
  Lanes readDropout(mlir::Operation *op, llvm::ArrayRef<Lanes> at, Value mask);
  Value readDraws(mlir::Operation *op, llvm::ArrayRef<Lanes> at, Value mask);
  Lanes readActivation(mlir::Operation *op, llvm::ArrayRef<Lanes> at,
                       Value mask);
  Lanes readElementwise(mlir::Operation *op, llvm::ArrayRef<Lanes> at,
                        Value mask);
  Lanes evaluateExtract(mlir::Operation *op, llvm::ArrayRef<Lanes> at,
                        Value mask);
  Lanes cloneOp(mlir::Operation *op, llvm::ArrayRef<Lanes> operands);
  Value evaluateMath(mlir::Operation *op, Value x, Value y);
  /// A scalar outside any block of elements (sizes, offsets).
  Lanes scalar(mlir::OpFoldResult value, Value mask);
  Lanes unsupported(mlir::Operation *op, mlir::Type element);
  /// A value that holds of lanes: `condition` is uniform (i1) or a vector.
  Lanes select(const Lanes &condition, llvm::function_ref<Lanes()> then,
               llvm::function_ref<Lanes()> otherwise);
  Value andMask(Value mask, Value other);

  struct Known {
    Value tensor;
    llvm::SmallVector<Lanes> at;
    Value mask;
    Lanes result;
    mlir::Block *block;
  };

  KernelBody &body;
  KernelBuilder &k;
  llvm::SmallVector<Known> memo;
  llvm::DenseMap<Value, Lanes> substitutes;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_PULLEVALUATOR_H
