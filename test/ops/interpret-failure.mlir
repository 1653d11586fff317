// RUN: not dragoman-opt --interpret %s 2>&1 | FileCheck %s

// A value that differs, a run that fails and one that should have failed are
// each reported at their place, and the exit code says so.

// CHECK: interpret-failure.mlir:[[@LINE+4]]:{{.*}} element [1] is 2, expected 3{{$}}
func.func @differs() {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, 3.0]> : tensor<2xf32>
  check.equal %a, %b : tensor<2xf32>
  return
}

// CHECK: @fails: node_b: id 5 is too large
plan.site 2, "node_b", "id {value} is too large"
func.func @fails() {
  %t = arith.constant dense<0.0> : tensor<3x2xf32>
  %i = arith.constant dense<[5]> : tensor<1xi32>
  %y = xf.embedding %t, %i {site = 2} : (tensor<3x2xf32>, tensor<1xi32>) -> tensor<1x2xf32>
  return
}

// CHECK: expected the run of @passes to fail with 'never', found no error
func.func @passes() attributes {check.fails = "never"} {
  return
}

// CHECK: expected a result of tensor<3xf32>, found 2xf32
func.func @wrong_size() {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %d = tensor.cast %a : tensor<2xf32> to tensor<?xf32>
  %b = tensor.cast %d : tensor<?xf32> to tensor<3xf32>
  return
}
