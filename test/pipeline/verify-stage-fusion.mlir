// RUN: dragoman-opt %s --verify-stage="stage=fusion" --split-input-file --verify-diagnostics

plan.kernel @two_roots(%x: tensor<4x4xf32> {xf.dims = ["4", "4"]}) -> (tensor<4x4xf32> {xf.dims = ["4", "4"]}) attributes {dims = []} {
  %0 = xf.softmax %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @+1 {{expected one root in a kernel, found a second beside xf.softmax}}
  %1 = xf.matmul %0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  plan.yield %1 : tensor<4x4xf32>
}

// -----

plan.weight @w : tensor<4xf32> {source = #plan.normal<1, 0.5>}
plan.kernel @loads() -> (tensor<4xf32> {xf.dims = ["4"]}) attributes {dims = []} {
  // expected-error @+1 {{'plan.load' op is not allowed in a kernel}}
  %0 = plan.load @w : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

plan.entry @computes(%x: tensor<4xf32> {xf.dims = ["4"], xf.name = "x"}) -> (tensor<4xf32> {xf.dims = ["4"], xf.name = "y"}) attributes {dims = []} {
  // expected-error @+1 {{'xf.silu' op is not allowed in an entry}}
  %0 = xf.silu %x : (tensor<4xf32>) -> tensor<4xf32>
  plan.return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{is not allowed behind the forming of kernels, but for initialisers of weights}}
func.func @left_over(%x: tensor<4xf32> {xf.dims = ["4"]}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
