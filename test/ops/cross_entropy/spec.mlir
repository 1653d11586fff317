// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "ids(10)"}) -> (tensor<f32>, tensor<?xf32>) {
  // CHECK: xf.cross_entropy %
  %loss, %lse = xf.cross_entropy %x, %y {smoothing = 0.1, reduce = "mean"}
      : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?xf32>)
  return %loss, %lse : tensor<f32>, tensor<?xf32>
}
