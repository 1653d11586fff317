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
