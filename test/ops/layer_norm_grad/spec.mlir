// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%dy: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %x: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %g: tensor<4xf32> {xf.dims = ["4"]}) -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK: xf.layer_norm_grad %
  %dx, %mean, %rstd = xf.layer_norm_grad %dy, %x gain %g {eps = 1.0e-5}
      : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<4xf32>)
      -> (tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>)
  return %dx, %mean, %rstd : tensor<?x4xf32>, tensor<?xf32>, tensor<?xf32>
}
