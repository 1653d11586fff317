// RUN: dragoman-opt %s --check-gradients --verify-diagnostics

// Gradients without a kernel are right, and a remark says what they cost.

func.func @bias(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x4x2xf32>, %b: tensor<1x1x1x4xf32>) -> tensor<1x2x3x2xf32> {
  // expected-remark@+1 {{the gradient of this attention stores all scores: there is no kernel for the gradient of a bias}}
  %o, %l = xf.attention %q, %k, %k bias %b : (tensor<1x2x3x2xf32>, tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32>, tensor<1x1x1x4xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x2xf32>
}

func.func @probability(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x4x2xf32>) -> tensor<1x2x3x2xf32> {
  // expected-remark@+1 {{the gradient of this attention stores all scores: there is no kernel for probability regions}}
  %o, %l = xf.attention %q, %k, %k prob {
  ^bb0(%w: f32, %b: index, %h: index, %i: index, %j: index):
    %r = arith.mulf %w, %w : f32
    xf.yield %r : f32
  } : (tensor<1x2x3x2xf32>, tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x2xf32>
}

func.func @table_of_rank_2(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x4x2xf32>, %t: tensor<2x4xf32>) -> tensor<1x2x3x2xf32> {
  // expected-remark@+1 {{the gradient of this attention stores all scores: there is no kernel for the gradient of a captured tensor of rank 2 or more}}
  %o, %l = xf.attention %q, %k, %k captures(%t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %t[%h, %j] : tensor<2x4xf32>
    %r = arith.addf %s, %x : f32
    xf.yield %r : f32
  } : (tensor<1x2x3x2xf32>, tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32>, tensor<2x4xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x2xf32>
}

// The kernel covers these.
func.func @slopes(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x4x2xf32>, %t: tensor<2xf32>) -> tensor<1x2x3x2xf32> {
  %o, %l = xf.attention %q, %k, %k captures(%t) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %t[%h] : tensor<2xf32>
    %r = arith.mulf %s, %x : f32
    xf.yield %r : f32
  } : (tensor<1x2x3x2xf32>, tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32>, tensor<2xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x2xf32>
}
