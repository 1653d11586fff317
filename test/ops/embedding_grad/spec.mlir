// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%dy: tensor<2x3x4xf32> {xf.dims = ["2", "3", "4"]}, %ids: tensor<2x3xi64> {xf.dims = ["2", "3"], xf.domain = "ids(10)"}) -> tensor<10x4xf32> {
  // CHECK: xf.embedding_grad %
  %d = xf.embedding_grad %dy, %ids {padding_id = 0}
      : (tensor<2x3x4xf32>, tensor<2x3xi64>) -> tensor<10x4xf32>
  return %d : tensor<10x4xf32>
}
