// RUN: dragoman-opt %s -xf-raise-linear -cse -canonicalize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#last = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @bias_silu
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[Y:.*]] = xf.linear %[[X]], %[[W]] bias %[[B]] {activation = "silu"}
// CHECK-NEXT: return %[[Y]]
func.func @bias_silu(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>, %b: tensor<8xf32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %h = xf.linear %x, %w : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#last, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%b, %h : tensor<8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %p = math.exp %n : f32
    %t = arith.addf %one, %p : f32
    %r = arith.divf %one, %t : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %s : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// A linear that something else reads keeps its value.
// CHECK-LABEL: func.func @second_reader
// CHECK: xf.linear %{{.*}}, %{{.*}} : (
// CHECK: math.tanh
func.func @second_reader(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>, %e: tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %h = xf.linear %x, %w : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<?x8xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.tanh %a : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %h, %t : tensor<?x8xf32>, tensor<?x8xf32>
}
