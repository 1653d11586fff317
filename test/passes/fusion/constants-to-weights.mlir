// RUN: dragoman-opt %s --plan-constants-to-weights | FileCheck %s
// RUN: dragoman-opt %s --verify-semantics --plan-constants-to-weights -o %t

plan.weight @w : tensor<2x4xf32> {source = #plan.normal<1, 0.5>}

// Both functions read one weight.
// CHECK: func.func private @constant_0.init() -> tensor<2xf32>
// CHECK-NEXT: arith.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK: plan.weight @constant_0 : tensor<2xf32> {derived = @constant_0.init}
// CHECK-NOT: plan.weight @constant_{{.*}} : tensor<2xf32>

// CHECK-LABEL: func.func @first
// CHECK: %[[B:.*]] = plan.load @constant_0
// CHECK: xf.linear %arg0, %{{.*}} bias %[[B]]
func.func @first(%x: tensor<?x4xf32> {xf.dims = ["N", "4"], xf.domain = "normal(1.0)"}) -> (tensor<?x2xf32> {xf.name = "y"}) {
  %w = plan.load @w : tensor<2x4xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = xf.linear %x, %w bias %b : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// A constant in elementwise work stays.
// CHECK-LABEL: func.func @second
// CHECK: arith.constant dense<[3.000000e+00, 4.000000e+00]>
// CHECK: xf.linear %arg0, %{{.*}} bias %{{.*}}
func.func @second(%x: tensor<3x4xf32> {xf.dims = ["3", "4"], xf.domain = "normal(1.0)"}) -> (tensor<3x2xf32> {xf.name = "y"}) {
  %w = plan.load @w : tensor<2x4xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %y = xf.linear %x, %w bias %b : (tensor<3x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%y, %c : tensor<3x2xf32>, tensor<2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %d: f32, %o: f32):
    %1 = arith.mulf %a, %d : f32
    linalg.yield %1 : f32
  } -> tensor<3x2xf32>
  return %z : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @returned
// CHECK: %[[C:.*]] = plan.load @constant_{{[0-9]+}} : tensor<i64>
// CHECK: return %[[C]]
func.func @returned() -> (tensor<i64> {xf.name = "count"}) {
  %c = arith.constant dense<7> : tensor<i64>
  return %c : tensor<i64>
}
