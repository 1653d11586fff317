// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%a: tensor<?x2x4xf32> {xf.dims = ["B", "2", "4"]}, %b: tensor<1x3x4xf32> {xf.dims = ["1", "3", "4"]}) -> (tensor<?x2x3xf32>) {
  // CHECK: xf.matmul %
  %c = xf.matmul %a, %b {transpose_b, alpha = 0.5}
      : (tensor<?x2x4xf32>, tensor<1x3x4xf32>) -> tensor<?x2x3xf32>
  return %c : tensor<?x2x3xf32>
}
