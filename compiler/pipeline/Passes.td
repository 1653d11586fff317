//===- Passes.td - Contracts of the stages -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_PIPELINE_PASSES
#define DRAGOMAN_COMPILER_PIPELINE_PASSES

include "mlir/Pass/PassBase.td"

def VerifyStagePass : Pass<"verify-stage", "::mlir::ModuleOp"> {
  let summary = "checks the contract of a stage";
  let description = [{
    Fails with a diagnostic at the first op that the contract of the stage does
    not allow:

    | stage | holds |
    | --- | --- |
    | import, graph | functions of xf and the closed list of upstream ops; weights, states and sites; no dense constant of more than 1 KiB; every dynamic size of an argument has a name |
    | autodiff | the same; with @loss and @parameters the entries backward, update and step, and no weight that is trainable is read by them |
    | fusion | entries that load, view and dispatch; kernels of one root at most |
    | tiling | the same; every kernel has a schedule and no two are equal |
    | lowering | entries of slots and commands, no tensor; no command reads bytes that another may have overwritten (`verifyMemory`) |
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"\"", "import, graph, autodiff, fusion, tiling or lowering">,
  ];
}

#endif // DRAGOMAN_COMPILER_PIPELINE_PASSES
