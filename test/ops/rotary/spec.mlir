// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x?x4x8xf32> {xf.dims = ["B", "T", "4", "8"]}, %cos: tensor<64x4xf32> {xf.dims = ["64", "4"]}, %sin: tensor<64x4xf32> {xf.dims = ["64", "4"]}, %p: tensor<?x?xi64> {xf.dims = ["B", "T"], xf.domain = "ids(64)"}) -> tensor<?x?x4x8xf32> {
  // CHECK: xf.rotary %
  %y = xf.rotary %x, %cos, %sin positions %p {layout = "bthd"}
      : (tensor<?x?x4x8xf32>, tensor<64x4xf32>, tensor<64x4xf32>, tensor<?x?xi64>)
      -> tensor<?x?x4x8xf32>
  return %y : tensor<?x?x4x8xf32>
}
