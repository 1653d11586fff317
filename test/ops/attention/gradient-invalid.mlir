// RUN: dragoman-opt %s --split-input-file --check-gradients --verify-diagnostics

func.func @rows(%q: tensor<2x1x1x2xf32>, %k: tensor<3x1x3x2xf32>, %r: tensor<2x3xi32> {xf.domain = "range(0,2)"}) -> tensor<2x1x1x2xf32> {
  // expected-error@+1 {{'xf.attention' op with rows (a cache) has no gradient}}
  %o, %l = xf.attention %q, %k, %k rows %r : (tensor<2x1x1x2xf32>, tensor<3x1x3x2xf32>, tensor<3x1x3x2xf32>, tensor<2x3xi32>) -> (tensor<2x1x1x2xf32>, tensor<2x1x1xf32>)
  return %o : tensor<2x1x1x2xf32>
}

// -----

func.func @starts(%q: tensor<1x2x3x4xf32>, %s: tensor<2xi64>) -> tensor<1x2x3x4xf32> {
  // expected-error@+1 {{'xf.attention' op with starts (packed rows) has no gradient}}
  %o, %l = xf.attention %q, %q, %q starts %s : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2xi64>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x4xf32>
}

// -----

func.func @panels(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // expected-error@+1 {{'xf.attention' op with keys in panels has no gradient}}
  %o, %l = xf.attention %q, %q, %q {k_layout = "panel16"} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x4xf32>
}
