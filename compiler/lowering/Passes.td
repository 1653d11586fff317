//===- Passes.td - Stage 5a: places in memory -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_PASSES
#define DRAGOMAN_COMPILER_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

def AssignSlotsPass : Pass<"plan-assign-slots", "::mlir::ModuleOp"> {
  let summary = "every value of an entry gets a place in memory";
  let description = [{
    Precondition: entries dispatch scheduled kernels on values. Inputs, outputs,
    states and weights are places of their own; a result that the entry returns
    is written where the caller wants it. The other results share buffers of the
    work arena if their lifetimes are disjoint; offsets and the arena's size, the
    peak, are expressions in the entry's dimensions. A state must be updated in
    place: where that cannot be proved the pass fails, since a copied cache is a
    bug. Views are the place of what they view.

    ```
    %1 = plan.dispatch @linear_0(%x, %w) dims ["B"] : ... -> tensor<?x8xf32>
      ->
    %2 = plan.slot "arena" {offset = "0", bytes = "32*B"} : !plan.slot
    plan.dispatch @linear_0(%0, %1, %2) dims ["B"] : (...) -> ()
    ```
  }];
}

#endif // DRAGOMAN_COMPILER_LOWERING_PASSES
