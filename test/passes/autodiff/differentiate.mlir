// RUN: dragoman-opt --xf-differentiate %s | FileCheck %s
// RUN: dragoman-opt --verify-semantics --xf-differentiate --verify-stage=stage=autodiff %s -o %t
// RUN: dragoman-opt --xf-differentiate %s | dragoman-opt -o %t

// Parameters become parts of a flat state, those with decay first; the entries
// stand behind the loss.

// CHECK: plan.state @parameters : tensor<10xf32> {append_axis = 0 : i64, dims = ["10"]}
// CHECK: plan.state @gradients : tensor<10xf32>
// CHECK: plan.state @moment1 : tensor<10xf32>
// CHECK: plan.state @moment2 : tensor<10xf32>
// CHECK: plan.state @averages : tensor<10xf32>
plan.weight @b : tensor<2xf32> {source = #plan.normal<1, 0.5>, trainable}
plan.weight @w : tensor<2x4xf32> {source = #plan.normal<2, 0.5>, trainable, decay}

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[P:[^:]*]]: tensor<10xf32> {plan.state = @parameters,
// CHECK-SAME: -> (tensor<f32> {xf.name = "loss"}) {
// CHECK: %[[WS:.*]] = tensor.extract_slice %[[P]][0] [8] [1]
// CHECK: %[[W:.*]] = tensor.expand_shape %[[WS]] {{.*}} into tensor<2x4xf32>
// CHECK: %[[B:.*]] = tensor.extract_slice %[[P]][8] [2] [1]
// CHECK: xf.linear %{{.*}}, %[[W]] bias %[[B]]
func.func @loss(%x: tensor<?x4xf32> {xf.dims = ["N", "4"], xf.name = "x"}) -> (tensor<f32> {xf.name = "loss"}) {
  %w = plan.load @w : tensor<2x4xf32>
  %b = plan.load @b : tensor<2xf32>
  %y = xf.linear %x, %w bias %b : (tensor<?x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%y : tensor<?x2xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.mulf %p, %p : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}

// CHECK-LABEL: func.func @backward(
// CHECK-SAME: %[[G:[^:]*]]: tensor<10xf32> {plan.state = @gradients,
// CHECK-SAME: -> (tensor<f32> {xf.name = "loss"}, tensor<10xf32> {plan.state = @gradients, xf.name = "gradients"}) {
// CHECK: %[[GRADIENT:.*]] = tensor.concat dim(0) %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<2xf32>) -> tensor<10xf32>
// CHECK: arith.addf %[[G]], %[[GRADIENT]]

// CHECK-LABEL: func.func @update(
// CHECK-SAME: xf.name = "learning_rate"}, %{{.*}}: tensor<i64> {{{.*}}xf.name = "step"}, %{{.*}}xf.name = "inv_count"}, %{{.*}}xf.name = "clip"}
// CHECK-SAME: -> (tensor<f32> {xf.name = "gradient_norm"}, tensor<10xf32> {plan.state = @parameters,
// CHECK: xf.global_norm
// CHECK: xf.adam {{.*}} decay_end = 8
// CHECK: linalg.fill

// CHECK-LABEL: func.func @step(
// CHECK-SAME: -> (tensor<f32> {xf.name = "loss"}, tensor<f32> {xf.name = "gradient_norm"}, tensor<10xf32> {plan.state = @parameters,
// CHECK-NOT: @gradients

// CHECK-LABEL: func.func @average(
