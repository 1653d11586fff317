//===- Reference.h - The meaning of each xf op as plain loops ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The judge: one function per row of Ops.def, written after SPEC.md in loops in
// double. References share nothing with lowerings. Results are not rounded; the
// interpreter rounds them to their type in typed mode.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_REFERENCE_REFERENCE_H
#define DRAGOMAN_DIALECTS_XF_REFERENCE_REFERENCE_H

#include "dialects/xf/Xf.h"
#include "dialects/xf/reference/Tensor.h"
#include "runtime/base/Status.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace dragoman::xf {

using interpret::Tensor;

/// The values of one evaluation of an op.
class ReferenceCall {
public:
  /// Evaluates a region of scalar ops: the operands of its terminator for its
  /// arguments. Indices pass as doubles.
  using RegionFunction = llvm::function_ref<void(
      mlir::Region &, llvm::ArrayRef<double>, llvm::SmallVectorImpl<double> &)>;
  /// Records a failing check: site, linear index, value, bound.
  using CheckFunction =
      llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)>;

  ReferenceCall(mlir::Operation *op, llvm::MutableArrayRef<Tensor> operands,
                RegionFunction evaluate, CheckFunction fail)
      : evaluate(evaluate), fail(fail), op(op), operands(operands) {}

  /// The tensor of an operand, named through the op's accessors. The value must
  /// be an operand.
  Tensor &operand(mlir::Value value);
  /// The operand to be changed in place: not shared with the call any more
  /// unless it is an operand twice.
  Tensor take(mlir::Value value);
  /// Null if the op does not have the optional operand.
  const Tensor *optional(mlir::Value value);

  /// A zero tensor of the element type of result `number` and `shape`.
  Tensor makeResult(unsigned number, std::vector<int64_t> shape);

  /// In the order of the op's results; each reference pushes all of them.
  llvm::SmallVector<Tensor, 3> results;
  RegionFunction evaluate;
  CheckFunction fail;

  /// A score or probability region at (value, b, h, i, j).
  double region(mlir::Region &body, double value, int64_t b, int64_t h,
                int64_t i, int64_t j);

private:
  mlir::Operation *op;
  llvm::MutableArrayRef<Tensor> operands;
};

/// An error means that the values do not fit the op (a size that the verifier
/// could not check).
using ReferenceFunction = Status (*)(ReferenceCall &, mlir::Operation *);

#define XF_OP(Class, Stem, ...)                                                \
  Status reference##Class(ReferenceCall &call, mlir::Operation *op);
#include "dialects/xf/Ops.def"

/// The reference of an op ("xf.attention"), or null for any other name.
ReferenceFunction findReference(llvm::StringRef opName);

/// The element type of a tensor or scalar type; nothing for a type that the
/// interpreter does not hold.
std::optional<interpret::Element> elementOf(mlir::Type type);

/// Shorthands of the reference files: errors of mismatching sizes.
Status sizeError(llvm::StringRef what, const std::vector<int64_t> &expected,
                 const std::vector<int64_t> &found);

/// A tensor read through broadcasting: axis by axis, static size 1 in the type
/// means "the same for all".
class BroadcastReader {
public:
  /// `type` is the operand's type (it decides what broadcasts).
  BroadcastReader(const Tensor &tensor, mlir::Type type);
  /// The linear index of the element for `index`, or -1 if an index lies beyond
  /// the tensor.
  int64_t linear(std::initializer_list<int64_t> index) const {
    return linear(index.begin(), index.size());
  }
  int64_t linear(const int64_t *index, size_t rank) const;
  /// An error unless every axis that does not broadcast is of the size of
  /// `shape` (the last axis may be shorter if `shorterLast`).
  Status fits(llvm::StringRef what, const std::vector<int64_t> &shape,
              bool shorterLast = false) const;

private:
  const Tensor &tensor;
  llvm::SmallVector<bool> broadcast;
  std::vector<int64_t> strides;
};

/// The scalar functions of linear's activations and glu's gates. `name` is a
/// legal value of either attribute.
double applyActivation(llvm::StringRef name, double x);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_REFERENCE_REFERENCE_H
