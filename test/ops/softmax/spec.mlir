// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x8xf32>, %m: tensor<1x8xi1>) -> (tensor<?x8xf32>) {
  // CHECK: xf.softmax %
  %y = xf.softmax %x mask %m {axis = 1}
      : (tensor<?x8xf32>, tensor<1x8xi1>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
