//===- Passes.td - Stage 3: from functions to entries and kernels ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_FUSION_PASSES
#define DRAGOMAN_COMPILER_FUSION_PASSES

include "mlir/Pass/PassBase.td"

def ConstantsToWeightsPass : Pass<"plan-constants-to-weights", "::mlir::ModuleOp"> {
  let summary = "constants that a root reads become weights";
  let description = [{
    Precondition: the module is in the form of stage graph. Lowerings of roots
    read their operands from memory, and kernels that differ in a constant could
    not be shared; so a constant tensor that is an operand of a kernel's root
    becomes a derived weight, and so does one that an entry returns. Equal
    constants are one weight. Constants in elementwise work stay.

    ```
    %b = arith.constant dense<[1.0, 2.0]>   ->   %b = plan.load @constant_0
    %y = xf.linear %x, %w bias %b                %y = xf.linear %x, %w bias %b
    ```
  }];
}

def MergeSiblingsPass : Pass<"xf-merge-siblings", "::mlir::ModuleOp"> {
  let summary = "linear layers of one operand become one, over one weight";
  let description = [{
    Precondition: weights are loaded by plan.load. Linear layers that read the
    same x, have the same activation and all or none a bias become one whose
    weight is the concatenation of theirs, a derived weight; the results become
    slices. The merged layer has at most 4*K columns, so that it does not
    outgrow the feed-forward layer. Every output keeps its chain: no bit moves.

    ```
    %q = xf.linear %x, %wq          %y = xf.linear %x, %wqk
    %k = xf.linear %x, %wk    ->    %q = tensor.extract_slice %y[..., 0] ...
                                    %k = tensor.extract_slice %y[..., N] ...
    ```
  }];
}

def FormKernelsPass : Pass<"plan-form-kernels", "::mlir::ModuleOp"> {
  let summary = "functions become entries that dispatch kernels";
  let description = [{
    Precondition: the module is in the form of stage graph. Every public
    function becomes a plan.entry; its compute ops become plan.kernels, each
    with one root (or a cluster of elementwise and movement ops), the producers
    pulled into the root's operands and, behind a contraction, elementwise
    consumers of identical maps. An elementwise producer whose only reader is a
    rowwise root is pulled there rather than put behind a contraction. Nothing
    crosses an entry or a state. Dispatches name their dimensions.

    ```
    %s = linalg.generic(add) %x, %y     %z = plan.dispatch @layer_norm_0(%x, %y,
    %z = xf.layer_norm %s gain %g   ->           %g) dims ["B", "S"]
    ```
  }];
}

#endif // DRAGOMAN_COMPILER_FUSION_PASSES
