// RUN: dragoman-opt %s --split-input-file --verify-stage=stage=autodiff --verify-diagnostics

// The contract of stage autodiff.

// expected-error@+1 {{'func.func' op expected @backward beside the loss}}
func.func @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

plan.weight @w : tensor<f32> {source = #plan.normal<2, 0.5>, trainable}
func.func @loss() -> tensor<f32> {
  // expected-error@+1 {{'plan.load' op is not allowed of a parameter in training}}
  %w = plan.load @w : tensor<f32>
  return %w : tensor<f32>
}

// -----

// Without a loss a module is as behind stage graph.
plan.weight @w : tensor<f32> {source = #plan.normal<2, 0.5>, trainable}
func.func @encode() -> tensor<f32> {
  %w = plan.load @w : tensor<f32>
  return %w : tensor<f32>
}
