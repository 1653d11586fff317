// RUN: dragoman-opt --xf-differentiate %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected results of tensor<f32>, found 'tensor<2xf32>'}}
func.func @loss(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{expected the loss as the first result, found none}}
func.func @loss(%x: tensor<2xf32>) {
  return
}

// -----

// expected-error@+1 {{expected trainable weights, found none}}
func.func @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

plan.weight @w : tensor<f32> {source = #plan.normal<2, 0.5>, trainable}
func.func @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// expected-error@+1 {{expected no @update beside the @loss that it is made from}}
func.func @update() {
  return
}

// -----

// expected-error@+1 {{expected a trainable weight of f32, found 'tensor<2xf16>'}}
plan.weight @w : tensor<2xf16> {source = #plan.normal<2, 0.5>, trainable}
func.func @loss(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error@+1 {{expected an optimizer of adam, adamw, sgd, adagrad, adadelta, found 'adma'}}
module attributes {xf.training = {optimizer = "adma"}} {
  func.func @loss(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

// expected-error@+1 {{expected a number of optimizer sgd in xf.training, found beta1 = 9.000000e-01 : f64}}
module attributes {xf.training = {optimizer = "sgd", beta1 = 0.9 : f64}} {
  func.func @loss(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

// expected-error@+1 {{expected xf.training to be a dictionary, found 3 : i64}}
module attributes {xf.training = 3} {
  func.func @loss(%x: tensor<f32>) -> tensor<f32> {
    return %x : tensor<f32>
  }
}

// -----

plan.weight @w : tensor<4xf32> {source = #plan.normal<2, 0.5>, trainable}
func.func @loss() -> tensor<f32> {
  %w = plan.load @w : tensor<4xf32>
  // expected-error@+1 {{'xf.top_k' op has no gradient}}
  %v, %i = xf.top_k %w {k = 1} : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi64>)
  %s = tensor.collapse_shape %v [] : tensor<1xf32> into tensor<f32>
  return %s : tensor<f32>
}
