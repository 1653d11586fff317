// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>) {
  // CHECK: xf.gelu %
  %y = xf.gelu %x {kind = "tanh"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
