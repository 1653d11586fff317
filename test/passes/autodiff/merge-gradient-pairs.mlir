// RUN: dragoman-opt --xf-differentiate %s | FileCheck %s
// RUN: dragoman-opt --verify-semantics --xf-differentiate %s -o %t

// Where the loss is minimised as a sum, the op and its gradient are one.

plan.weight @w : tensor<5x4xf32> {source = #plan.normal<2, 0.5>, trainable}

// CHECK-LABEL: func.func @loss(
// CHECK: xf.linear_cross_entropy %
// CHECK-LABEL: func.func @backward(
// CHECK-NOT: xf.linear_cross_entropy %
// CHECK: %[[LOSS:.*]], %[[NLL:.*]], %{{.*}}, %{{.*}}, %{{.*}} = xf.linear_cross_entropy_grad %
// CHECK-DAG: linalg.generic {{.*}} ins(%[[LOSS]] :
// CHECK-DAG: linalg.generic {{.*}} ins(%[[NLL]] :
// CHECK-NOT: xf.linear_cross_entropy
// CHECK-LABEL: func.func @update(
func.func @loss(%h: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %t: tensor<?xi64> {xf.dims = ["N"], xf.domain = "ids(5)"}) -> (tensor<f32>, tensor<f32>) {
  %w = plan.load @w : tensor<5x4xf32>
  %rows:3 = xf.linear_cross_entropy %h, %w target %t {smoothing = 0.1} : (tensor<?x4xf32>, tensor<5x4xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  %zero = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%rows#0 : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %nll = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%rows#1 : tensor<?xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %loss, %nll : tensor<f32>, tensor<f32>
}
