// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%ok: tensor<4xi1>, %id: tensor<4xi64>, %size: tensor<i64>) {
  // CHECK: xf.check %
  xf.check %ok value %id bound %size {site = 3}
      : (tensor<4xi1>, tensor<4xi64>, tensor<i64>) -> ()
  return
}
