// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x?x4xf32> {xf.dims = ["B", "T", "4"]}, %w: tensor<8x4xf32> {xf.dims = ["8", "4"]}, %b: tensor<8xf32> {xf.dims = ["8"]}) -> (tensor<?x?x8xf32>) {
  // CHECK: xf.linear %
  %y = xf.linear %x, %w bias %b {activation = "silu"}
      : (tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
