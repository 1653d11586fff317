//===- Passes.td - Stage 1: the graph passes -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_GRAPH_PASSES
#define DRAGOMAN_COMPILER_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def XfRaiseLinear : Pass<"xf-raise-linear", "::mlir::func::FuncOp"> {
  let summary = "moves bias and activation into xf.linear";
  let description = [{
    Precondition: elementwise work is in linalg.generic, products with weights are
    xf.linear. A sum of a linear without bias and a vector along its last axis
    becomes the bias; relu, gelu (erf and tanh form), silu, sigmoid and tanh of a
    linear become its activation when nothing else reads the linear.

    ```mlir
    %h = xf.linear %x, %w : ...
    %y = linalg.generic {add} ins(%b, %h) ...
    %s = linalg.generic {1 / (1 + exp(-y))} ins(%y) ...
    %z = linalg.generic {mul} ins(%y, %s) ...
    // becomes
    %z = xf.linear %x, %w bias %b {activation = "silu"} : ...
    ```
  }];
  let dependentDialects = ["::dragoman::xf::XfDialect"];
}

def XfRaiseNorms : Pass<"xf-raise-norms", "::mlir::func::FuncOp"> {
  let summary = "recognises layer norm written in parts";
  let description = [{
    Precondition: elementwise work is in linalg.generic; a mean over the last axis
    is a sum reduction divided by its extent. Recognises
    (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps), with gain and bias of the
    last axis behind it where they are, as xf.layer_norm; and
    x / sqrt(mean(x^2) + eps) * g as xf.rms_norm.
  }];
  let dependentDialects = ["::dragoman::xf::XfDialect"];
}

def XfRaiseAttention : Pass<"xf-raise-attention", "::mlir::func::FuncOp"> {
  let summary = "recognises attention written with products and a softmax";
  let description = [{
    Precondition: products of activations are xf.matmul, softmax is xf.softmax,
    reshapes are tensor.expand_shape and tensor.collapse_shape, transposes
    linalg.transpose. Recognises softmax(scale * q.k^T + bias) . v over heads,
    with batch and heads as two axes or folded into one, and absorbs the
    transposes around it into layouts. What is added to the scores becomes the
    bias operand; xf-raise-masks may turn it into a predicate.
  }];
  let dependentDialects = ["::dragoman::xf::XfDialect", "::mlir::tensor::TensorDialect"];
}

def XfAbsorbTransposes : Pass<"xf-absorb-transposes", "::mlir::func::FuncOp"> {
  let summary = "attention reads and writes the layouts that stand around it";
  let description = [{
    Precondition: attention is raised. A transpose of heads and length in front of
    q, k or v, or of what is appended to a cache, becomes the operand's layout; one
    that is all that reads the result becomes the result's.

    ```mlir
    %o, %l = xf.attention %q, %k, %v ... -> (tensor<?x4x?x32xf32>, ...)
    %t = linalg.transpose %o permutation = [0, 2, 1, 3]
    // becomes
    %t, %l = xf.attention %q, %k, %v {out_layout = "bthd"} ... -> (tensor<?x?x4x32xf32>, ...)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def XfRaiseMasks : Pass<"xf-raise-masks", "::mlir::func::FuncOp"> {
  let summary = "turns additive masks into predicates of attention";
  let description = [{
    Precondition: xf-raise-attention ran. The bias at (b, h, i, j) is pulled
    through generics, reshapes, fills and concatenations to a function of integer
    comparisons. If it is 0 exactly where a conjunction of j <= i + c and
    j < count[b] holds and very negative elsewhere, the bias goes and the op gets
    `causal` with `offset` c, and `key_count`. Any other bias stays.
  }];
  let dependentDialects = ["::dragoman::xf::XfDialect",
    "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def XfRaiseCache : Pass<"xf-raise-cache", "::mlir::ModuleOp"> {
  let summary = "makes prepare and decode over states of two imported decoders";
  let description = [{
    Precondition: the raising passes ran on the functions of `xf.role` "first" (the
    decoder of the first step; its caches are results) and "past" (of later steps;
    its self caches are arguments and results, its cross caches arguments). Caches
    carry `xf.cache` = "self_k.0" and so on, the dimensions are named R (rows), T
    (new tokens), P (past), S (source).

    Proves that "past" over an empty past is "first", or refuses. Then `prepare`
    fills the cross caches, and `decode` takes any number of new tokens per row:
    `concat(past, new)` becomes xf.cache_append to a plan.state, the past length P
    becomes position[r], and attention reads the cache through `rows`.
    A module without such functions is left alone.
  }];
  let dependentDialects = ["::dragoman::plan::PlanDialect", "::dragoman::xf::XfDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::mlir::arith::ArithDialect"];
}

def XfHoistWeights : Pass<"xf-hoist-weights", "::mlir::ModuleOp"> {
  let summary = "turns values that depend on weights only into derived weights";
  let description = [{
    Every value of more than 1 KiB that follows from plan.load and constants
    alone, and is used by something that does not, becomes a plan.weight whose
    `derived` function computes it; equal computations share one weight. In @loss
    nothing follows from a parameter for good.
  }];
  let dependentDialects = ["::dragoman::plan::PlanDialect"];
}

def XfDecompose : Pass<"xf-decompose", "::mlir::ModuleOp"> {
  let summary = "rebuilds xf ops from simpler xf and upstream ops";
  let description = [{
    Every op of a DECOMPOSE row of Ops.def (or of the rows that `ops` names) is
    replaced by its decomposition, and so is what comes out of it, until none is
    left. The decomposed graph is what the judges compare rewrites with.

    ```mlir
    %y = xf.silu %x : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %y = linalg.generic {x / (1 + exp(-x))} ins(%x) ...
    ```
  }];
  let options = [ListOption<"ops", "ops", "std::string",
    "ops to decompose, without dialect (default: all)">,
    Option<"withoutKernel", "without-kernel", "bool", "false",
      "only what the CPU has no kernel for: attention_weights, cache_reorder, rotary, linear over a computed weight, attention and its gradient with a probability region, gradients of attention's bias and of captures of rank 2">];
  let dependentDialects = ["::dragoman::xf::XfDialect",
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

#endif // DRAGOMAN_COMPILER_GRAPH_PASSES
