// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%table: tensor<10x4xf32> {xf.dims = ["10", "4"]}, %ids: tensor<2x3xi64> {xf.dims = ["2", "3"], xf.domain = "ids(10)"}) -> (tensor<2x3x4xf32>) {
  // CHECK: xf.embedding %
  %y = xf.embedding %table, %ids {scale = 2.0}
      : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
