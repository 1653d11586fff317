// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x8xf32>, %n: tensor<?xi64>) -> (tensor<?x8xf32>) {
  // CHECK: xf.log_softmax %
  %y = xf.log_softmax %x key_count %n
      : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
