// RUN: dragoman-opt %s --lower-cpu --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a schedule before lowering}}
plan.kernel @unscheduled(%x: tensor<4xf32> {xf.dims = ["4"]}) -> (tensor<4xf32> {xf.dims = ["4"]}) attributes {dims = []} {
  %y = xf.silu %x : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}

// -----

// Every kernel without a lowering is named, not the first alone.
// expected-error @+1 {{has no lowering on the CPU for root 'first'}}
plan.kernel @one(%x: tensor<4xf32> {xf.dims = ["4"]}) -> (tensor<4xf32> {xf.dims = ["4"]}) attributes {dims = [], schedule = #plan.schedule<"first", {}>} {
  plan.yield %x : tensor<4xf32>
}
// expected-error @+1 {{has no lowering on the CPU for root 'second'}}
plan.kernel @two(%x: tensor<4xf32> {xf.dims = ["4"]}) -> (tensor<4xf32> {xf.dims = ["4"]}) attributes {dims = [], schedule = #plan.schedule<"second", {}>} {
  plan.yield %x : tensor<4xf32>
}

// -----

plan.kernel @computed(%x: tensor<?x8xf32> {xf.dims = ["M", "8"]}, %w: tensor<16x8xf32> {plan.layout = "panel16", xf.dims = ["16", "8"]}) -> (tensor<?x16xf32> {xf.dims = ["M", "16"]}) attributes {dims = ["M"], schedule = #plan.schedule<"linear", {}>} {
  %s = xf.silu %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  // expected-error @+1 {{expected x to be a view of a kernel argument}}
  %y = xf.linear %s, %w : (tensor<?x8xf32>, tensor<16x8xf32>) -> tensor<?x16xf32>
  plan.yield %y : tensor<?x16xf32>
}
