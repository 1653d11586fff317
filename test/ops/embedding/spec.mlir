// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%table: tensor<10x4xf32>, %ids: tensor<2x3xi64>) -> (tensor<2x3x4xf32>) {
  // CHECK: xf.embedding %
  %y = xf.embedding %table, %ids {scale = 2.0}
      : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
