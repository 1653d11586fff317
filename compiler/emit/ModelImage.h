//===- ModelImage.h - What the runtime reads of a model ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of an artifact from a module whose entries are in slots (after
// plan-assign-slots): commands, kernels, states, check sites and weights. Code
// and weight bytes are made elsewhere (CodeObject.h, WeightWriter.h).
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_EMIT_MODELIMAGE_H
#define DRAGOMAN_COMPILER_EMIT_MODELIMAGE_H

#include "runtime/artifact/Manifest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace dragoman {

/// Indices in the entries' slots and commands count the lists here.
struct ModelImage {
  std::vector<EntryTable> entries; ///< in module order
  std::vector<KernelDesc> kernels; ///< dispatched ones, in order of first use
  std::vector<StateDesc> states;   ///< all, in module order
  std::vector<SiteDesc> sites; ///< by number; numbers without text are empty
  std::vector<WeightDesc> weights; ///< read ones, in order of first use

  /// Moves the lists into `manifest`, with the entries' names and peaks.
  void describe(Manifest &manifest) &&;
};

/// Fails with a diagnostic at the op that has no form in the tables: an entry
/// that still holds values, an unknown element type, a kernel without tiles.
mlir::FailureOr<ModelImage> buildModelImage(mlir::ModuleOp module);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_EMIT_MODELIMAGE_H
