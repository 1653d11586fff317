// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%a: tensor<?x2x4xf32>, %b: tensor<1x3x4xf32>) -> (tensor<?x2x3xf32>) {
  // CHECK: xf.matmul %
  %c = xf.matmul %a, %b {transpose_b, alpha = 0.5}
      : (tensor<?x2x4xf32>, tensor<1x3x4xf32>) -> tensor<?x2x3xf32>
  return %c : tensor<?x2x3xf32>
}
