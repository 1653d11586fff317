// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%g: tensor<24xf32> {xf.dims = ["24"]}) -> (tensor<2xf32>) {
  // CHECK: xf.global_norm %
  %n = xf.global_norm %g {groups = array<i64: 5, 24>}
      : (tensor<24xf32>) -> tensor<2xf32>
  return %n : tensor<2xf32>
}
