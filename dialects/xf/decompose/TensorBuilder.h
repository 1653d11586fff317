//===- TensorBuilder.h - Builds linalg.generic for decompositions ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_DECOMPOSE_TENSORBUILDER_H
#define DRAGOMAN_DIALECTS_XF_DECOMPOSE_TENSORBUILDER_H

#include "dialects/xf/ops/OpSupport.h"

#include "mlir/IR/AffineMap.h"

namespace dragoman::xf {

/// Scalar ops inside the body of a generic. Floats are in one type; constants
/// follow it.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value constant(mlir::Type type, double value);
  mlir::Value index(int64_t value);
  mlir::Value loop(unsigned number); ///< linalg.index
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value divide(mlir::Value a, mlir::Value b);
  mlir::Value exp(mlir::Value a);
  mlir::Value log(mlir::Value a);
  mlir::Value sqrt(mlir::Value a);
  mlir::Value tanh(mlir::Value a);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b); ///< of i1
  /// Ordered comparisons of floats: false for NaN.
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value greater(mlir::Value a, mlir::Value b);
  /// Signed comparison of integers.
  mlir::Value less(mlir::Value a, mlir::Value b);
  /// Between float types; nothing if they are equal.
  mlir::Value cast(mlir::Value a, mlir::Type type);
  /// An element of an I tensor as index.
  mlir::Value extractIndex(mlir::Value tensor, mlir::ValueRange indices);
  mlir::Value extract(mlir::Value tensor, mlir::ValueRange indices);
  /// `value` (index) brought into 0..size-1.
  mlir::Value clamp(mlir::Value value, mlir::Value size);
  /// An activation of linear or a gate of glu.
  mlir::Value activation(llvm::StringRef name, mlir::Value x);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// A generic's body: gets the scalars of the inputs (and, in a reduction, the
/// accumulator last) and returns the result.
using GenericBody =
    llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::ValueRange)>;

/// An input of a generic and how loops index it.
struct GenericInput {
  mlir::Value tensor;
  mlir::AffineMap map;
};

class TensorBuilder {
public:
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// A size as an attribute if it is static, else a tensor.dim.
  mlir::OpFoldResult size(mlir::Value tensor, unsigned axis);
  llvm::SmallVector<mlir::OpFoldResult> sizes(mlir::Value tensor);
  mlir::Value asIndex(mlir::OpFoldResult size);

  /// The input with loops 0..rank-1 on its axes; static size 1 broadcasts.
  GenericInput broadcast(mlir::Value tensor);
  /// The input with the given loops on its axes.
  GenericInput onLoops(mlir::Value tensor, llvm::ArrayRef<unsigned> loops,
                       unsigned loopCount);

  /// One result element per loop point.
  mlir::Value elementwise(llvm::ArrayRef<GenericInput> inputs,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          mlir::Type element, GenericBody body);
  /// Reduces the last `reduced` of all loops; the accumulator starts at `init`.
  mlir::Value reduce(llvm::ArrayRef<GenericInput> inputs,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes, unsigned reduced,
                     mlir::Type element, double init, GenericBody body);
  /// Sums `term` over all loops but the last `kept`: column sums, such as the
  /// gradient of a bias.
  mlir::Value sumRows(llvm::ArrayRef<GenericInput> inputs,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes, unsigned kept,
                      mlir::Type element, GenericBody term);
  /// The tensor in another float type.
  mlir::Value cast(mlir::Value tensor, mlir::Type element);
  /// A tensor.cast if the types differ (they describe the same sizes).
  mlir::Value ofType(mlir::Value tensor, mlir::Type type);
  mlir::Value transpose(mlir::Value tensor,
                        llvm::ArrayRef<int64_t> permutation);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::Value generic(llvm::ArrayRef<GenericInput> inputs, mlir::Value init,
                      unsigned loops, unsigned reduced, bool accumulate,
                      GenericBody body);
};

/// The axis numbers first..last-1.
inline llvm::SmallVector<unsigned> axisRange(unsigned first, unsigned last) {
  return llvm::to_vector(llvm::seq<unsigned>(first, last));
}

/// Softmax along the last axis in parts, shared by softmax, log_softmax and
/// attention: `visible` (i1 of the same shape) may be null.
struct SoftmaxParts {
  mlir::Value maximum; ///< of the visible entries; -inf if none
  mlir::Value sum;     ///< of exp(x - maximum); 0 if no visible entry is finite
};
SoftmaxParts buildSoftmaxParts(TensorBuilder &tensors, mlir::Value x,
                               mlir::Value visible);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_DECOMPOSE_TENSORBUILDER_H
