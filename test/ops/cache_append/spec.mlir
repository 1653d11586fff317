// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%k0: tensor<?x4x?x32xf32> {xf.dims = ["Rows", "4", "Cap", "32"]}, %new: tensor<?x4x?x32xf32> {xf.dims = ["R", "4", "T", "32"]}, %position: tensor<?xi64> {xf.dims = ["R"], xf.domain = "position(Cap-T)"}, %cache_row: tensor<?xi32> {xf.dims = ["R"], xf.domain = "distinct(Rows)"}) -> (tensor<?x4x?x32xf32>) {
  // CHECK: xf.cache_append %
  %k1 = xf.cache_append %k0, %new at %position row %cache_row {layout = "panel16"}
      : (tensor<?x4x?x32xf32>, tensor<?x4x?x32xf32>, tensor<?xi64>, tensor<?xi32>)
      -> tensor<?x4x?x32xf32>
  return %k1 : tensor<?x4x?x32xf32>
}
