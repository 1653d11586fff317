// RUN: dragoman-opt %s --verify-stage="stage=tiling" --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a schedule and a number of tiles}}
plan.kernel @unscheduled(%x: tensor<4xf32> {xf.dims = ["4"]}) -> (tensor<4xf32> {xf.dims = ["4"]}) attributes {dims = []} {
  plan.yield %x : tensor<4xf32>
}

// -----

plan.kernel @one(%x: tensor<?xf32> {xf.dims = ["A"]}) -> (tensor<?xf32> {xf.dims = ["A"]}) attributes {dims = ["A"], tiles = "A", schedule = #plan.schedule<"elementwise", {}>} {
  %0 = xf.silu %x : (tensor<?xf32>) -> tensor<?xf32>
  plan.yield %0 : tensor<?xf32>
}
// expected-error @+1 {{expected kernels to differ, found one equal to @one}}
plan.kernel @other(%x: tensor<?xf32> {xf.dims = ["B"]}) -> (tensor<?xf32> {xf.dims = ["B"]}) attributes {dims = ["B"], tiles = "B", schedule = #plan.schedule<"elementwise", {}>} {
  %0 = xf.silu %x : (tensor<?xf32>) -> tensor<?xf32>
  plan.yield %0 : tensor<?xf32>
}
