//===- Clusters.h - Which ops of an entry become one kernel -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The decisions of plan-form-kernels, apart from the rewriting. They speak of
// roles only, never of an op by name.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_FUSION_CLUSTERS_H
#define DRAGOMAN_COMPILER_FUSION_CLUSTERS_H

#include "dialects/xf/Interfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <memory>

namespace dragoman::fusion {

/// The ops of one kernel. All of them come before or are the sink, whose
/// results (and no others, but for the root's own) are read elsewhere.
struct Cluster {
  /// The root, or null for a cluster of elementwise and movement ops.
  mlir::Operation *root = nullptr;
  /// In program order once clustering is done.
  llvm::SmallVector<mlir::Operation *> ops;
  /// For an update of a state: the number of the operand whose memory the
  /// sink's result takes, else -1.
  int64_t updatedOperand = -1;

  mlir::Operation *sink() const { return ops.back(); }
};

/// Gives every reader that takes a view or a slice as it lies one of its own,
/// so that a second reader does not make it a copy.
void splitReads(mlir::func::FuncOp function);

/// Divides the body of `function` into clusters, in the order of their sinks.
/// Ops without a role (loads, constants, sizes) are in none; views that several
/// clusters or the function's results read stay outside as well.
std::vector<std::unique_ptr<Cluster>> clusterOps(mlir::func::FuncOp function);

} // namespace dragoman::fusion

#endif // DRAGOMAN_COMPILER_FUSION_CLUSTERS_H
