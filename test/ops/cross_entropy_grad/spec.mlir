// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(1,9)"}, %d: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?x10xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: xf.cross_entropy_grad %
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %x, %y dloss %d
      {smoothing = 0.1, forbidden = array<i64: 0>}
      : (tensor<?x10xf32>, tensor<?xi64>, tensor<?xf32>)
      -> (tensor<?x10xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %dx, %loss, %nll, %correct, %lse : tensor<?x10xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
