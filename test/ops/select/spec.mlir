// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%logits: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %count: tensor<i64> {xf.dims = [], xf.domain = "range(1,4)"}, %bits: tensor<i64> {xf.dims = [], xf.domain = "range(0,3)"}, %id: tensor<?x?xi32> {xf.dims = ["N", "E"], xf.domain = "ids(10)"}, %kind: tensor<?x?xi32> {xf.dims = ["N", "E"], xf.domain = "range(0,3)"}, %value: tensor<?x?xf32> {xf.dims = ["N", "E"]}) -> (tensor<?x4xf32>, tensor<?x4xi32>, tensor<?xf32>) {
  // CHECK: xf.select %
  %values, %ids, %lse = xf.select %logits count %count normalize %bits
      edits(%id, %kind, %value) {k = 4}
      : (tensor<?x10xf32>, tensor<i64>, tensor<i64>, tensor<?x?xi32>,
         tensor<?x?xi32>, tensor<?x?xf32>)
      -> (tensor<?x4xf32>, tensor<?x4xi32>, tensor<?xf32>)
  return %values, %ids, %lse : tensor<?x4xf32>, tensor<?x4xi32>, tensor<?xf32>
}
