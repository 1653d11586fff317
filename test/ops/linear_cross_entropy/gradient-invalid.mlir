// RUN: dragoman-opt --check-gradients --verify-diagnostics --split-input-file %s

func.func @class_weight(%h: tensor<2x4xf32>, %w: tensor<3x4xf32>, %y: tensor<2xi64> {xf.domain = "ids(3)"}, %c: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'xf.linear_cross_entropy' op has no gradient of class_weight}}
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w target %y class_weight %c : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<2xi64>, tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %loss : tensor<2xf32>
}

// -----

func.func @nll(%h: tensor<2x4xf32>, %w: tensor<3x4xf32>, %y: tensor<2xi64> {xf.domain = "ids(3)"}) -> tensor<2xf32> {
  // expected-error@+1 {{'xf.linear_cross_entropy' op has a gradient of loss only, not of nll and correct}}
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w target %y : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %nll : tensor<2xf32>
}
