//===- Passes.td - Stage 2: the autodiff passes -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_AUTODIFF_PASSES
#define DRAGOMAN_COMPILER_AUTODIFF_PASSES

include "mlir/Pass/PassBase.td"

def DifferentiatePass : Pass<"xf-differentiate", "::mlir::ModuleOp"> {
  let summary = "makes the training entries from @loss";
  let description = [{
    Precondition: a public function @loss of one batch whose results are f32
    scalars, the first of them minimised; weights that are parameters are
    `trainable`. Without @loss nothing happens. The attribute `xf.training` of the
    module names the optimiser and its numbers.

    All parameters lie in flat states f32[P], in the order of `listParameters`.
    A parameter's value is a slice of @parameters:

    ```mlir
    func.func @loss(%ids: tensor<?xi64>) -> tensor<f32> {
      %w = plan.load @w : tensor<4x2xf32>
      ...
    // becomes
    plan.state @parameters : tensor<8xf32> {dims = ["8"]}
    func.func @loss(%ids: tensor<?xi64>, %p: tensor<8xf32> {plan.state = @parameters}) -> tensor<f32> {
      %s = tensor.extract_slice %p[0] [8] [1] : tensor<8xf32> to tensor<8xf32>
      %w = tensor.expand_shape %s [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
      ...
    ```

    The entries behind it, each with the states it reads or changes as further
    arguments and results:

    | entry | arguments | results |
    | --- | --- | --- |
    | `loss` | as before | as before, without dropout |
    | `backward` | those of loss | those of loss; adds the gradient to @gradients |
    | `update` | learning_rate, step, inv_count, clip | gradient_norm; one step of the optimiser, @gradients become zero |
    | `step` | those of loss and update | those of both; backward and update without @gradients |
    | `average` | tau | none; @averages moves towards @parameters by tau |

    Only what lies between a parameter and the loss is differentiated; several
    uses of a value add up in the order of the program from its end. A pair of an
    op and its gradient that computes the op's results as well becomes that
    gradient.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::dragoman::plan::PlanDialect",
    "::dragoman::xf::XfDialect"];
}

def ChooseStashPass : Pass<"xf-choose-stash", "::mlir::ModuleOp"> {
  let summary = "decides what the backward repeats and what is kept for it";
  let description = [{
    Precondition: behind xf-differentiate. Looks at what @backward and @step keep
    at their peak, views and elementwise work inside its reader apart. A value of
    elementwise work is computed a second time in front of its first reader behind
    the peak, and so is not kept, where that is free: about eight operations an
    element, on operands that are kept anyway. With `memory`, a bound on the bytes
    kept, any elementwise work (activations, dropout) is repeated, the largest
    saving first, until the bound is met or nothing helps. The copy carries
    `xf.recompute`, so that it stays apart from the original.

    ```mlir
    %h = linalg.generic {scale} ins(%z) ...   // z and h are kept
    ...
    %dw = xf.matmul %dy, %h {transpose_a}
    // becomes
    %h = linalg.generic {scale} ins(%z) ...   // only z is kept
    ...
    %h2 = linalg.generic {scale} ins(%z) {xf.recompute} ...
    %dw = xf.matmul %dy, %h2 {transpose_a}
    ```
  }];
  let options = [
    Option<"memory", "memory", "std::string", "\"\"", "bytes that may be kept, an expression in dims; nothing: repeat only what is free">,
    ListOption<"dims", "dims", "std::string", "sizes of dimensions, name=size; 64 without">,
  ];
}

#endif // DRAGOMAN_COMPILER_AUTODIFF_PASSES
