// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%cache: tensor<4x2x8xf32>, %from: tensor<2xi32>) -> (tensor<2x2x8xf32>) {
  // CHECK: xf.cache_reorder %
  %r = xf.cache_reorder %cache, %from
      : (tensor<4x2x8xf32>, tensor<2xi32>) -> tensor<2x2x8xf32>
  return %r : tensor<2x2x8xf32>
}
