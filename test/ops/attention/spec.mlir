// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%q: tensor<?x?x4x32xf32> {xf.dims = ["R", "T", "4", "32"]}, %k: tensor<?x4x?x32xf32> {xf.dims = ["Rows", "4", "Cap", "32"]}, %v: tensor<?x4x?x32xf32> {xf.dims = ["Rows", "4", "Cap", "32"]}, %n: tensor<?xi64> {xf.dims = ["R"], xf.domain = "length(K)"}, %at: tensor<?xi64> {xf.dims = ["R"], xf.domain = "position(K-T)"}, %rows: tensor<?x?xi32> {xf.dims = ["R", "K"], xf.domain = "ids(Rows)"}) -> (tensor<?x?x4x32xf32>, tensor<?x4x?xf32>) {
  // CHECK: xf.attention %
  // Causal decode step over a cache: 4 heads of 32, keys in panels.
  %out, %lse = xf.attention %q, %k, %v key_count %n offset %at rows %rows
      {causal, q_layout = "bthd", k_layout = "panel16", out_layout = "bthd"}
      : (tensor<?x?x4x32xf32>, tensor<?x4x?x32xf32>, tensor<?x4x?x32xf32>,
         tensor<?xi64>, tensor<?xi64>, tensor<?x?xi32>)
      -> (tensor<?x?x4x32xf32>, tensor<?x4x?xf32>)
  return %out, %lse : tensor<?x?x4x32xf32>, tensor<?x4x?xf32>
}
