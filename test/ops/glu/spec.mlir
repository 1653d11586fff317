// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<2x8xf32> {xf.dims = ["2", "8"]}) -> (tensor<2x4xf32>) {
  // CHECK: xf.glu %
  %y = xf.glu %x {gate = "silu"} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
