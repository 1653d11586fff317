// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x8xf32> {xf.dims = ["N", "8"]}) -> (tensor<?x2xf32>, tensor<?x2xi64>) {
  // CHECK: xf.top_k %
  %v, %i = xf.top_k %x {k = 2}
      : (tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  return %v, %i : tensor<?x2xf32>, tensor<?x2xi64>
}
