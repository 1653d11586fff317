// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<2x8xf32>) -> (tensor<2x4xf32>) {
  // CHECK: xf.glu %
  %y = xf.glu %x {gate = "silu"} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
