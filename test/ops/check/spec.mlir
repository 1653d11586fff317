// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%ok: tensor<4xi1> {xf.dims = ["4"], xf.domain = "bool(1.0)"}, %id: tensor<4xi64> {xf.dims = ["4"]}, %size: tensor<i64> {xf.dims = []}) {
  // CHECK: xf.check %
  xf.check %ok value %id bound %size {site = 3}
      : (tensor<4xi1>, tensor<4xi64>, tensor<i64>) -> ()
  return
}
