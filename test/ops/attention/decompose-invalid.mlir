// RUN: dragoman-opt %s --xf-decompose --verify-diagnostics

func.func @starts(%q: tensor<1x2x3x4xf32>, %s: tensor<2xi64>) -> tensor<1x2x3x4xf32> {
  // expected-error@+1 {{'xf.attention' op with starts (packed rows) has no decomposition}}
  %o, %l = xf.attention %q, %q, %q starts %s : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2xi64>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x4xf32>
}
