// RUN: dragoman-opt %s --xf-decompose=without-kernel=true | FileCheck %s

// What the CPU has kernels for stays.
// CHECK-LABEL: func.func @kept
func.func @kept(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // CHECK: xf.attention
  %o, %l = xf.attention %q, %q, %q : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  // CHECK: xf.silu
  %y = xf.silu %o : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %y : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @reorder
func.func @reorder(%c: tensor<3x2xf32>, %f: tensor<2xi32>) -> tensor<2x2xf32> {
  // CHECK: xf.check
  // CHECK: linalg.generic
  // CHECK-NOT: xf.cache_reorder
  %r = xf.cache_reorder %c, %f : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @probability
func.func @probability(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // CHECK: xf.matmul
  // CHECK: xf.softmax
  // CHECK-NOT: xf.attention
  %o, %l = xf.attention %q, %q, %q prob {
  ^bb0(%w: f32, %b: index, %h: index, %i: index, %j: index):
    %r = arith.mulf %w, %w : f32
    xf.yield %r : f32
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x4xf32>
}

plan.weight @w : tensor<3x2xf32> {source = #plan.normal<1, 0.5>}

// CHECK-LABEL: func.func @stored_weight
// CHECK: xf.linear
func.func @stored_weight(%x: tensor<?x2xf32>) -> tensor<?x3xf32> {
  %w = plan.load @w : tensor<3x2xf32>
  %y = xf.linear %x, %w : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// The axes of x stay: every batch meets the same weight.
// CHECK-LABEL: func.func @computed_weight
// CHECK-SAME: %[[X:.*]]: tensor<?x?x2xf32>
// CHECK: %[[W:.*]] = tensor.expand_shape {{.*}} into tensor<1x3x2xf32>
// CHECK: %[[Y:.*]] = xf.matmul %[[X]], %[[W]] {transpose_b}
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %{{.*}} :
// CHECK-NOT: xf.linear
func.func @computed_weight(%x: tensor<?x?x2xf32>, %p: tensor<9xf32>) -> tensor<?x?x3xf32> {
  %s = tensor.extract_slice %p[0] [6] [1] : tensor<9xf32> to tensor<6xf32>
  %w = tensor.expand_shape %s [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %b = tensor.extract_slice %p[6] [3] [1] : tensor<9xf32> to tensor<3xf32>
  %y = xf.linear %x, %w bias %b {activation = "relu"} : (tensor<?x?x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}
