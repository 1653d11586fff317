// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%p: tensor<24xf32> {xf.dims = ["24"]}, %g: tensor<24xf32> {xf.dims = ["24"]}, %m: tensor<24xf32> {xf.dims = ["24"]}, %v: tensor<24xf32> {xf.dims = ["24"], xf.domain = "prob"}, %lr: tensor<f32> {xf.dims = [], xf.domain = "prob"}, %k: tensor<i64> {xf.dims = [], xf.domain = "range(1,9)"}, %clip: tensor<f32> {xf.dims = []}, %bad: tensor<i1> {xf.dims = [], xf.domain = "bool(0.5)"}) -> (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) {
  // CHECK: xf.adam %
  %p1, %m1, %v1 = xf.adam %p, %g, %m, %v lr %lr step %k scale %clip skip %bad
      {beta1 = 0.9, beta2 = 0.98, eps = 1.0e-9, decay = 0.01, decoupled = true,
       decay_end = 16}
      : (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>,
         tensor<f32>, tensor<i64>, tensor<f32>, tensor<i1>)
      -> (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>)
  return %p1, %m1, %v1 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>
}
