//===- Passes.td - Stage 4: schedules, layouts, identity -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_TILING_PASSES
#define DRAGOMAN_COMPILER_TILING_PASSES

include "mlir/Pass/PassBase.td"

def SchedulePass : Pass<"plan-schedule", "::mlir::ModuleOp"> {
  let summary = "every kernel gets its schedule, tile count and scratch size";
  let description = [{
    Precondition: kernels are formed. Asks the function of each kernel's root
    (compiler/tiling/Schedule.h) and writes `schedule`, `tiles` and `scratch`.
    Overrides replace single numbers of all kernels of a root.

    ```
    plan.kernel @linear ...  ->  plan.kernel @linear ... attributes {schedule =
      #plan.schedule<"linear", {row_block = 96}>, tiles = "8*ceildiv(B*S,96)"}
    ```
  }];
  let options = [
    ListOption<"overrides", "overrides", "std::string", "numbers as linear.row_block=48, separated by commas">,
  ];
}

def LayoutWeightsPass : Pass<"plan-layout-weights", "::mlir::ModuleOp"> {
  let summary = "weights of contractions and key caches lie in panels, weights in order of use";
  let description = [{
    Precondition: kernels are not shared yet. A weight that feeds the right side
    of a linear is stored in panels of 16 columns; one that is read by rows as
    well (a tied embedding) is stored twice. A state that feeds attention's keys,
    and nothing but that and its own update, lies in panels of 16 keys. The
    kernels' arguments say so (`plan.layout`). plan.weight ops are then put in
    the order in which the entries read them.
  }];
}

def DedupePass : Pass<"plan-dedupe", "::mlir::ModuleOp"> {
  let summary = "equal kernels become one";
  let description = [{
    Precondition: every kernel has a schedule. The identity of a kernel is its
    generic text after renaming its dimensions and without its name and
    locations; it holds body, sizes, layouts and schedule. Of equal kernels the
    first stays, and dispatches follow, across layers and entries. Kernels that
    nothing dispatches go. Names become root_number, in order.
  }];
}

#endif // DRAGOMAN_COMPILER_TILING_PASSES
