// RUN: not dragoman-opt --check-gradients %s 2>&1 | FileCheck %s

// A gradient that differs, an op without gradient and a run that fails are each
// reported, and the exit code says so.

// A step function that is steep for differences.
// CHECK: gradient-failure.mlir:[[@LINE+1]]:{{.*}} @differs (small): gradient of argument 1: element [0] is 0, expected {{-?[0-9.e+]+}} within 1e-05 + 0.001 relative
func.func @differs(%n: tensor<2xi64>, %x: tensor<2xf32>) -> tensor<2xf32> attributes {check.step = 1.0} {
  %y = math.floor %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK: gradient-failure.mlir:[[@LINE+2]]:{{.*}} 'xf.top_k' op has no gradient
func.func @refused(%x: tensor<4xf32>) -> tensor<2xf32> {
  %v, %i = xf.top_k %x {k = 2} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %v : tensor<2xf32>
}

// CHECK: @fails (small): {{.*}}check 0 failed at index 0
func.func @fails(%x: tensor<1x2xf32>, %i: tensor<1xi64> {xf.domain = "range(5,5)"}) -> (tensor<1x2xf32>, tensor<1x2xf32> {check.fixed}) {
  %e = xf.embedding %x, %i : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<1x2xf32>
  return %x, %e : tensor<1x2xf32>, tensor<1x2xf32>
}

// What is excluded is not compared: nothing is said about these.
// CHECK-NOT: @fixed
// CHECK-NOT: @kink
func.func @fixed(%x: tensor<2xf32> {check.fixed}, %z: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32> {check.fixed}) attributes {check.step = 1.0} {
  %y = math.floor %x : tensor<2xf32>
  %w = math.floor %z : tensor<2xf32>
  return %y, %w : tensor<2xf32>, tensor<2xf32>
}
func.func @kink(%x: tensor<2xf32> {check.kinks = [0.0]}) -> tensor<2xf32> attributes {check.step = 1.0} {
  %y = math.floor %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
