// RUN: dragoman-opt %s --verify-semantics --xf-decompose -o %t.out 2>&1 | FileCheck %s

// What cannot be verified says so.

// CHECK: remark: @unknown is not verified: expected a known xf.domain, found 'prime(7)'
func.func @unknown(%x: tensor<2xi64> {xf.domain = "prime(7)"}) -> tensor<2xi64> {
  return %x : tensor<2xi64>
}

// CHECK: remark: @fails ({{.*}}) is not verified beyond its error: check 4 failed at index 0: value 9, bound 3
func.func @fails(%i: tensor<1xi64> {xf.domain = "range(9,9)"}, %t: tensor<3x2xf32>) -> tensor<1x2xf32> {
  %y = xf.embedding %t, %i {site = 4} : (tensor<3x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
