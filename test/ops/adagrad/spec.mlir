// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%p: tensor<24xf32> {xf.dims = ["24"]}, %g: tensor<24xf32> {xf.dims = ["24"]}, %s: tensor<24xf32> {xf.dims = ["24"], xf.domain = "prob"}, %lr: tensor<f32> {xf.dims = [], xf.domain = "prob"}, %k: tensor<i64> {xf.dims = [], xf.domain = "range(1,9)"}) -> (tensor<24xf32>, tensor<24xf32>) {
  // CHECK: xf.adagrad %
  %p1, %s1 = xf.adagrad %p, %g, %s lr %lr step %k {eps = 1.0e-10}
      : (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<f32>, tensor<i64>)
      -> (tensor<24xf32>, tensor<24xf32>)
  return %p1, %s1 : tensor<24xf32>, tensor<24xf32>
}
