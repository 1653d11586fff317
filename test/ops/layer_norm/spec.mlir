// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<?x4xf32>) {
  // CHECK: xf.layer_norm %
  %y = xf.layer_norm %x gain %g bias %b {eps = 1.0e-5}
      : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
