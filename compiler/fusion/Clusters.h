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
  /// True for an update of a state that only moves elements: its other operand
  /// may be read in place.
  bool isMovingUpdate = false;
  /// Results that take over the memory of a value outside, and whose.
  llvm::MapVector<mlir::Value, mlir::Value> takesOver;

  mlir::Operation *sink() const { return ops.back(); }
};

/// Gives every reader that takes a view or a slice as it lies one of its own,
/// so that a second reader does not make it a copy.
void splitReads(mlir::Block &block);

/// Divides the body of a function or loop into clusters, in the order of their
/// sinks. Ops without a role (loads, constants, sizes, loops) are in none;
/// dense slices, what joins or inserts results of kernels, and views that
/// several clusters or the block's results read stay outside as well.
std::vector<std::unique_ptr<Cluster>> clusterOps(mlir::Block &block);

/// Sets `takesOver` of the clusters of `block`: of results that update a state
/// or a loop's value in place, and of those whose op may write where it reads a
/// value that nothing reads afterwards.
void findTakeovers(mlir::Block &block,
                   llvm::ArrayRef<std::unique_ptr<Cluster>> clusters);

/// What a block hands on under the name of one of its arguments: the value of a
/// returned state with the state's argument, the next value of a loop with the
/// loop's.
llvm::SmallVector<std::pair<mlir::Value, mlir::BlockArgument>>
carriedValues(mlir::Block &block);

/// The operands whose memory a result might take over, by its op's own account
/// or because each element depends on the same element only.
llvm::SmallVector<mlir::OpOperand *> takeoverCandidates(mlir::OpResult result);

/// True if the op, all of whose result's elements depend on the same element of
/// `use` only, is elementwise.
bool readsElementwise(mlir::OpOperand &use);

} // namespace dragoman::fusion

#endif // DRAGOMAN_COMPILER_FUSION_CLUSTERS_H
