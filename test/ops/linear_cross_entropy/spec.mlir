// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%h: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %w: tensor<10x4xf32> {xf.dims = ["10", "4"]}, %b: tensor<10xf32> {xf.dims = ["10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(1,9)"}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: xf.linear_cross_entropy %
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w bias %b target %y
      {smoothing = 0.1, forbidden = array<i64: 0>}
      : (tensor<?x4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<?xi64>)
      -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
