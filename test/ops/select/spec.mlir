// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%logits: tensor<?x10xf32>, %count: tensor<i64>, %bits: tensor<i64>, %id: tensor<?x?xi32>, %kind: tensor<?x?xi32>, %value: tensor<?x?xf32>) -> (tensor<?x4xf32>, tensor<?x4xi32>, tensor<?xf32>) {
  // CHECK: xf.select %
  %values, %ids, %lse = xf.select %logits count %count normalize %bits
      edits(%id, %kind, %value) {k = 4}
      : (tensor<?x10xf32>, tensor<i64>, tensor<i64>, tensor<?x?xi32>,
         tensor<?x?xi32>, tensor<?x?xf32>)
      -> (tensor<?x4xf32>, tensor<?x4xi32>, tensor<?xf32>)
  return %values, %ids, %lse : tensor<?x4xf32>, tensor<?x4xi32>, tensor<?xf32>
}
