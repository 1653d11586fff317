// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// The example of SPEC.md is legal, its printed form is read back, and no pass
// changes its values.

// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<?x8xf32> {xf.dims = ["N", "8"]}, %n: tensor<?xi64> {xf.dims = ["N"], xf.domain = "length(8)"}) -> (tensor<?x8xf32>) {
  // CHECK: xf.log_softmax %
  %y = xf.log_softmax %x key_count %n
      : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
