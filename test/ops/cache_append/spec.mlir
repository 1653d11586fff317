// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The example of SPEC.md is legal and its printed form is read back.

// CHECK-LABEL: func.func @example
func.func @example(%k0: tensor<?x4x?x32xf32>, %new: tensor<?x4x?x32xf32>, %position: tensor<?xi64>, %cache_row: tensor<?xi32>) -> (tensor<?x4x?x32xf32>) {
  // CHECK: xf.cache_append %
  %k1 = xf.cache_append %k0, %new at %position row %cache_row {layout = "panel16"}
      : (tensor<?x4x?x32xf32>, tensor<?x4x?x32xf32>, tensor<?xi64>, tensor<?xi32>)
      -> tensor<?x4x?x32xf32>
  return %k1 : tensor<?x4x?x32xf32>
}
