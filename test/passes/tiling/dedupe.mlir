// RUN: dragoman-opt %s --plan-dedupe | FileCheck %s
// RUN: dragoman-opt %s --plan-dedupe > %t.once
// RUN: dragoman-opt %t.once --plan-dedupe | diff - %t.once

// Equal but for names of kernel and dimensions: one kernel. Another sharing of
// dimensions, another layout or another schedule is another kernel.
// CHECK: plan.kernel @layer_norm_0(%arg0: tensor<?x?x4xf32> {xf.dims = ["B", "S", "4"]})
// CHECK: plan.kernel @layer_norm_1(%arg0: tensor<?x?x4xf32> {xf.dims = ["N", "N", "4"]})
// CHECK: plan.kernel @layer_norm_2(%arg0: tensor<?x?x4xf32> {plan.layout = "rows"
// CHECK: plan.kernel @layer_norm_3({{.*}}rows = 8
// CHECK-NOT: plan.kernel
plan.kernel @a(%x: tensor<?x?x4xf32> {xf.dims = ["B", "S", "4"]}) -> (tensor<?x?x4xf32> {xf.dims = ["B", "S", "4"]}) attributes {dims = ["B", "S"], tiles = "ceildiv(B*S,16)", schedule = #plan.schedule<"layer_norm", {rows = 16}>} {
  %y = xf.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  plan.yield %y : tensor<?x?x4xf32>
}
plan.kernel @same(%x: tensor<?x?x4xf32> {xf.dims = ["R", "A", "4"]}) -> (tensor<?x?x4xf32> {xf.dims = ["R", "A", "4"]}) attributes {dims = ["R", "A"], tiles = "ceildiv(A*R,16)", schedule = #plan.schedule<"layer_norm", {rows = 16}>} {
  %y = xf.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  plan.yield %y : tensor<?x?x4xf32>
}
plan.kernel @shared_dims(%x: tensor<?x?x4xf32> {xf.dims = ["N", "N", "4"]}) -> (tensor<?x?x4xf32> {xf.dims = ["N", "N", "4"]}) attributes {dims = ["N"], tiles = "ceildiv(N*N,16)", schedule = #plan.schedule<"layer_norm", {rows = 16}>} {
  %y = xf.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  plan.yield %y : tensor<?x?x4xf32>
}
plan.kernel @layout(%x: tensor<?x?x4xf32> {plan.layout = "rows", xf.dims = ["B", "S", "4"]}) -> (tensor<?x?x4xf32> {xf.dims = ["B", "S", "4"]}) attributes {dims = ["B", "S"], tiles = "ceildiv(B*S,16)", schedule = #plan.schedule<"layer_norm", {rows = 16}>} {
  %y = xf.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  plan.yield %y : tensor<?x?x4xf32>
}
plan.kernel @scheduled(%x: tensor<?x?x4xf32> {xf.dims = ["B", "S", "4"]}) -> (tensor<?x?x4xf32> {xf.dims = ["B", "S", "4"]}) attributes {dims = ["B", "S"], tiles = "ceildiv(B*S,8)", schedule = #plan.schedule<"layer_norm", {rows = 8}>} {
  %y = xf.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  plan.yield %y : tensor<?x?x4xf32>
}
plan.kernel @undispatched(%x: tensor<?x4xf32> {xf.dims = ["B", "4"]}) -> (tensor<?x4xf32> {xf.dims = ["B", "4"]}) attributes {dims = ["B"], tiles = "1", schedule = #plan.schedule<"layer_norm", {rows = 8}>} {
  %y = xf.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  plan.yield %y : tensor<?x4xf32>
}

// CHECK-LABEL: plan.entry @main
// CHECK: %[[A:.*]] = plan.dispatch @layer_norm_0(%arg0) dims ["B", "S"]
// CHECK: %[[B:.*]] = plan.dispatch @layer_norm_0(%[[A]]) dims ["S", "B"]
// CHECK: plan.dispatch @layer_norm_1(
// CHECK: plan.dispatch @layer_norm_2(
// CHECK: plan.dispatch @layer_norm_3(
plan.entry @main(%x: tensor<?x?x4xf32> {xf.dims = ["B", "S", "4"], xf.name = "x"}) -> (tensor<?x?x4xf32> {xf.name = "y", xf.dims = ["B", "S", "4"]}) attributes {dims = ["B", "S"]} {
  %0 = plan.dispatch @a(%x) dims ["B", "S"] : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %1 = plan.dispatch @same(%0) dims ["S", "B"] : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %2 = plan.dispatch @shared_dims(%1) dims ["B"] : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %3 = plan.dispatch @layout(%2) dims ["B", "S"] : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %4 = plan.dispatch @scheduled(%3) dims ["B", "S"] : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  plan.return %4 : tensor<?x?x4xf32>
}
