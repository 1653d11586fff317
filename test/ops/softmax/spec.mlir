// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x8xf32> {xf.dims = ["N", "8"]}, %m: tensor<1x8xi1> {xf.dims = ["1", "8"]}) -> (tensor<?x8xf32>) {
  // CHECK: xf.softmax %
  %y = xf.softmax %x mask %m {axis = 1}
      : (tensor<?x8xf32>, tensor<1x8xi1>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
