//===- Passes.td - Stage 5b: kernels to loops on the CPU -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_PASSES
#define DRAGOMAN_COMPILER_LOWERING_CPU_PASSES

include "mlir/Pass/PassBase.td"

def LowerCpuPass : Pass<"lower-cpu", "::mlir::ModuleOp"> {
  let summary = "kernels become functions over argument memory";
  let description = [{
    Precondition: every plan.kernel has a schedule. The module becomes the code of
    one feature level: a func.func per kernel, in scf, vector, memref and arith,
    as runtime/artifact/KernelAbi.h calls it. Entries, weights and states are
    dropped: the runtime's tables are made from the module before this pass.

    ```
    plan.kernel @linear_0(%x: tensor<?x8xf32>, ...) -> tensor<?x16xf32> { ... }
      ->
    func.func @linear_0(%args: !llvm.ptr, %t0: i64, %t1: i64, %s: !llvm.ptr) -> i32
    ```
  }];
  let options = [
    Option<"level", "level", "std::string", "\"x86-64-v4\"",
           "feature level: x86-64-v3 or x86-64-v4">,
  ];
}

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_PASSES
