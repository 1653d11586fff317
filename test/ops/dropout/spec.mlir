// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t
// RUN: dragoman-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x?x8xf32> {xf.dims = ["B", "T", "8"]}, %seed: tensor<i64> {xf.dims = []}, %keys: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(100000)"}) -> (tensor<?x?x8xf32>) {
  // CHECK: xf.dropout %{{.*}} seed %{{.*}} row_key %
  %y = xf.dropout %x seed %seed row_key %keys {p = 0.1, site = 3}
      : (tensor<?x?x8xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// FOLD-LABEL: func.func @nothing_dropped
// FOLD-NOT: xf.dropout
func.func @nothing_dropped(%x: tensor<2x4xf32> {xf.dims = ["2", "4"]}, %seed: tensor<i64> {xf.dims = []}, %keys: tensor<2xi64> {xf.dims = ["2"]}) -> (tensor<2x4xf32>) {
  %y = xf.dropout %x seed %seed row_key %keys {p = 0.0, site = 3}
      : (tensor<2x4xf32>, tensor<i64>, tensor<2xi64>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
