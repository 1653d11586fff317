//===- CheckGradients.h - Gradients against finite differences --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a public func.func with arguments. Its inputs are those of
// SeededInputs.h, in the shape classes "single" and "small". With seeded
// cotangents c, the gradient of L = sum over results of c * result must be that
// of central differences of the interpreter in wide mode, for every element of
// every argument of floats. Elements of results that are not finite have
// cotangent 0. Attributes:
//   on the function   check.step   half the distance of the differences (1e-6)
//   on an argument    check.fixed  it has no gradient
//                     check.kinks  [x, ...]: elements within 1000 steps of x
//                     are
//                                  left out
//   on a result       check.fixed  it is no part of L
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_CHECKGRADIENTS_H
#define DRAGOMAN_COMPILER_INTERPRET_CHECKGRADIENTS_H

#include "mlir/Pass/Pass.h"

namespace dragoman::interpret {

struct GradientOptions {
  uint64_t seed = 1;
  /// The folder that `#plan.file` paths are relative to.
  std::string modelFolder;
};

/// Checks every case of a module. An error names the function, the argument,
/// the element and both numbers; the module itself stays as it is.
std::unique_ptr<mlir::Pass> createCheckGradientsPass(GradientOptions options);

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_CHECKGRADIENTS_H
