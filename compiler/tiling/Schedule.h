//===- Schedule.h - The decisions of tiling, one function per root --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiling decides, lowering obeys. For each kernel one function, named by the
// kernel's root, decides how the work divides into tiles and writes down every
// number that the lowering needs. It makes no loops. A compiled model holds one
// command table for all feature levels of a target, so tiles and scratch may
// not depend on the level; register tiles do, and are the lowering's business.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_SCHEDULE_H
#define DRAGOMAN_COMPILER_TILING_SCHEDULE_H

#include "dialects/plan/Plan.h"
#include "runtime/artifact/DimExpr.h"

#include <initializer_list>
#include <map>
#include <string>
#include <utility>

namespace dragoman {

/// Numbers of schedules by "root.name", as "linear.row_block".
using ScheduleOverrides = std::map<std::string, int64_t>;

/// Reads lines "root.name = number"; '#' starts a comment. Errors name the
/// line: a number that is no schedule's to choose, or out of its range.
Result<ScheduleOverrides> parseScheduleOverrides(llvm::StringRef text);

/// What schedules know about a target, the same for all its feature levels.
struct TargetInfo {
  std::string name = "x86-64";
  /// Rows that one tile takes through a chunk of weights: so many keep a
  /// layer's activations in the second-level cache beside the weights.
  int64_t rowBlock = 96;
  /// Elements that one tile of an elementwise kernel computes.
  int64_t elementBlock = 16384;
  /// Numbers that replace decided ones, by "root.name".
  ScheduleOverrides overrides;

  /// `decided`, or what an override says of the kernel's root.
  int64_t number(plan::KernelOp kernel, llvm::StringRef name,
                 int64_t decided) const;
};

/// One kernel's decisions.
struct KernelSchedule {
  plan::ScheduleAttr schedule; ///< root and named numbers
  DimExpr tiles;               ///< in the kernel's dims
  int64_t scratchBytes = 0;    ///< per thread
};

/// Decides for any kernel by its root. Emits an error and fails for a root that
/// no function is known for.
llvm::FailureOr<KernelSchedule> scheduleKernel(plan::KernelOp kernel,
                                               const TargetInfo &target);

/// The op that a kernel is built around, or null for a pure elementwise
/// cluster.
mlir::Operation *kernelRoot(plan::KernelOp kernel);

/// The name a kernel goes by: its root's without dialect ("linear"), "reduce"
/// for sums and maxima over axes, "elementwise" for a cluster.
llvm::StringRef kernelRootName(plan::KernelOp kernel);

//===--- For the functions of roots ---------------------------------------===//

/// #plan.schedule<root, {name = number, ...}>.
plan::ScheduleAttr
makeSchedule(plan::KernelOp kernel,
             std::initializer_list<std::pair<llvm::StringRef, int64_t>> params);

/// The product of all axes of `tensor` but the last `inner`, in the kernel's
/// dims.
DimExpr rowCount(mlir::Value tensor, unsigned inner = 1);

/// The size of one axis, in the kernel's dims.
DimExpr axisSize(mlir::Value tensor, unsigned axis);

using ScheduleFunction = llvm::FailureOr<KernelSchedule>(plan::KernelOp kernel,
                                                         mlir::Operation *root,
                                                         const TargetInfo &);

// One file each: <Root>Schedule.cpp. `root` is null for scheduleElementwise.
ScheduleFunction scheduleAttention, scheduleAttentionGrad, scheduleCacheAppend,
    scheduleCheck, scheduleCrossEntropy, scheduleElementwise,
    scheduleEmbeddingGrad, scheduleLinear, scheduleMatmul, scheduleNormGrad,
    scheduleOptimizer, scheduleReduce, scheduleRowwise, scheduleSelect,
    scheduleTopK;

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_TILING_SCHEDULE_H
