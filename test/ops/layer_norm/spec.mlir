// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %g: tensor<4xf32> {xf.dims = ["4"]}, %b: tensor<4xf32> {xf.dims = ["4"]}) -> (tensor<?x4xf32>) {
  // CHECK: xf.layer_norm %
  %y = xf.layer_norm %x gain %g bias %b {eps = 1.0e-5}
      : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
