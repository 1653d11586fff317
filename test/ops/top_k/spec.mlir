// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>) {
  // CHECK: xf.top_k %
  %v, %i = xf.top_k %x {k = 2}
      : (tensor<?x8xf32>) -> (tensor<?x2xf32>, tensor<?x2xi64>)
  return %v, %i : tensor<?x2xf32>, tensor<?x2xi64>
}
