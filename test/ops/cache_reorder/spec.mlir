// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%cache: tensor<4x2x8xf32> {xf.dims = ["4", "2", "8"]}, %from: tensor<2xi32> {xf.dims = ["2"], xf.domain = "ids(4)"}) -> (tensor<2x2x8xf32>) {
  // CHECK: xf.cache_reorder %
  %r = xf.cache_reorder %cache, %from
      : (tensor<4x2x8xf32>, tensor<2xi32>) -> tensor<2x2x8xf32>
  return %r : tensor<2x2x8xf32>
}
