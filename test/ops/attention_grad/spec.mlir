// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%dout: tensor<?x?x4x32xf32> {xf.dims = ["B", "T", "4", "32"]}, %q: tensor<?x?x4x32xf32> {xf.dims = ["B", "T", "4", "32"]}, %k: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %v: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>) {
  %out, %lse = xf.attention %q, %k, %v key_count %n {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"}
      : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?xi64>) -> (tensor<?x?x4x32xf32>, tensor<?x4x?xf32>)
  // CHECK: xf.attention_grad %
  // The gradient of attention over padded sentences.
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse key_count %n
      {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"}
      : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>,
         tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x4x?xf32>, tensor<?xi64>)
      -> tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>
  return %dq, %dk, %dv : tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>
}
