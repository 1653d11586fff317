// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%q: tensor<?x?x4x32xf32> {xf.dims = ["B", "T", "4", "32"]}, %k: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %lse: tensor<?x4x?xf32> {xf.dims = ["B", "4", "T"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> tensor<?x1x?x?xf32> {
  // CHECK: xf.attention_weights %{{.*}}, %{{.*}} lse %{{.*}} key_count %
  %w = xf.attention_weights %q, %k lse %lse key_count %n
      {heads = array<i64: 1>, q_layout = "bthd", k_layout = "bthd"}
      : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x4x?xf32>,
         tensor<?xi64>) -> tensor<?x1x?x?xf32>
  return %w : tensor<?x1x?x?xf32>
}
