// RUN: dragoman-opt %s --plan-assign-slots | FileCheck %s
// RUN: dragoman-opt %s --plan-assign-slots > %t.once
// RUN: dragoman-opt %t.once --plan-assign-slots | diff - %t.once

plan.weight @w : tensor<20x8xf32> {layout = "panel16", source = #plan.normal<1, 0.5>}
plan.state @cache : tensor<?x2x?x8xf32> {dims = ["Rows", "2", "Cap", "8"], layout = "panel16"}

plan.kernel @step(%x: tensor<?x8xf32> {xf.dims = ["M", "8"]}) -> (tensor<?x8xf32> {xf.dims = ["M", "8"]}) attributes {dims = ["M"]} {
  %y = xf.silu %x : (tensor<?x8xf32>) -> tensor<?x8xf32>
  plan.yield %y : tensor<?x8xf32>
}
plan.kernel @wide(%x: tensor<?x8xf32> {xf.dims = ["M", "8"]}, %w: tensor<20x8xf32> {plan.layout = "panel16", xf.dims = ["20", "8"]}) -> (tensor<?x20xf32> {xf.dims = ["M", "20"]}) attributes {dims = ["M"]} {
  %y = xf.linear %x, %w : (tensor<?x8xf32>, tensor<20x8xf32>) -> tensor<?x20xf32>
  plan.yield %y : tensor<?x20xf32>
}
plan.kernel @append(%c: tensor<?x2x?x8xf32> {xf.dims = ["Rows", "2", "Cap", "8"]}, %x: tensor<?x2x?x8xf32> {xf.dims = ["N", "2", "T", "8"]}) -> (tensor<?x2x?x8xf32> {plan.alias = 0 : i64, xf.dims = ["Rows", "2", "Cap", "8"]}) attributes {dims = ["Rows", "Cap", "N", "T"]} {
  %y = xf.cache_append %c, %x : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>) -> tensor<?x2x?x8xf32>
  plan.yield %y : tensor<?x2x?x8xf32>
}

// A chain needs two buffers, whatever its length; the output is written in
// place, and a weight in panels counts its padding columns.
// CHECK-LABEL: plan.entry @chain
// CHECK-SAME: arena = "128*B"
// CHECK-NEXT: %[[X:.*]] = plan.slot "input" {bytes = "64*B", offset = "0"}
// CHECK-NEXT: %[[A:.*]] = plan.slot "arena" {bytes = "64*B", offset = "[[EVEN:.*]]"}
// CHECK-NEXT: %[[B:.*]] = plan.slot "arena" {bytes = "64*B", offset = "[[ODD:.*]]"}
// CHECK-NEXT: %[[W:.*]] = plan.slot "weight" {bytes = "1024", offset = "0", symbol = @w}
// CHECK-NEXT: %[[Y:.*]] = plan.slot "output" {bytes = "160*B", offset = "0"}
// CHECK-NEXT: plan.dispatch @step(%[[X]], %[[A]]) dims ["2*B"]
// CHECK-NEXT: plan.dispatch @step(%[[A]], %[[B]]) dims ["2*B"]
// CHECK-NEXT: plan.dispatch @step(%[[B]], %[[A]]) dims ["2*B"]
// CHECK-NEXT: plan.dispatch @wide(%[[A]], %[[W]], %[[Y]]) dims ["2*B"]
// CHECK-NEXT: plan.return
plan.entry @chain(%x: tensor<?x8xf32> {xf.dims = ["2*B", "8"], xf.name = "x"}) -> (tensor<?x20xf32> {xf.name = "y", xf.dims = ["2*B", "20"]}) attributes {dims = ["B"]} {
  %w = plan.load @w : tensor<20x8xf32>
  %0 = plan.dispatch @step(%x) dims ["2*B"] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = plan.dispatch @step(%0) dims ["2*B"] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %2 = plan.dispatch @step(%1) dims ["2*B"] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = plan.dispatch @wide(%2, %w) dims ["2*B"] : (tensor<?x8xf32>, tensor<20x8xf32>) -> tensor<?x20xf32>
  plan.return %3 : tensor<?x20xf32>
}

// A view is the place of what it views; what is returned twice, or is an input,
// is copied.
// CHECK-LABEL: plan.entry @views
// CHECK: %[[X:.*]] = plan.slot "input"
// CHECK: %[[Y:.*]] = plan.slot "output" {bytes = "64*B", offset = "0"}
// CHECK: %[[Z:.*]] = plan.slot "output" {bytes = "64*B", index = 1
// CHECK: %[[V:.*]] = plan.slot "output" {bytes = "64*B", index = 2
// CHECK: plan.dispatch @step(%[[X]], %[[Y]]) dims ["2*B"]
// CHECK: plan.copy %[[Y]] to %[[Z]]
// CHECK: plan.copy %[[X]] to %[[V]]
plan.entry @views(%x: tensor<?x2x8xf32> {xf.dims = ["B", "2", "8"], xf.name = "x"}) -> (tensor<?x8xf32> {xf.name = "y", xf.dims = ["2*B", "8"]}, tensor<?x8xf32> {xf.name = "z", xf.dims = ["2*B", "8"]}, tensor<?x8xf32> {xf.name = "v", xf.dims = ["2*B", "8"]}) attributes {dims = ["B"]} {
  %0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x2x8xf32> into tensor<?x8xf32>
  %1 = plan.dispatch @step(%0) dims ["2*B"] : (tensor<?x8xf32>) -> tensor<?x8xf32>
  plan.return %1, %1, %0 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: plan.entry @state
// CHECK-SAME: arena = "0"
// CHECK: %[[C:.*]] = plan.slot "state" {bytes = "64*Cap*Rows", offset = "0", symbol = @cache}
// CHECK: %[[X:.*]] = plan.slot "input"
// CHECK: plan.dispatch @append(%[[C]], %[[X]]) dims
// CHECK: plan.dispatch @append(%[[C]], %[[X]]) dims
plan.entry @state(%x: tensor<?x2x?x8xf32> {xf.dims = ["N", "2", "T", "8"], xf.name = "x"}, %c: tensor<?x2x?x8xf32> {xf.dims = ["Rows", "2", "Cap", "8"], plan.state = @cache}) -> (tensor<?x2x?x8xf32> {plan.state = @cache, xf.dims = ["Rows", "2", "Cap", "8"]}) attributes {dims = ["N", "T", "Rows", "Cap"]} {
  %0 = plan.dispatch @append(%c, %x) dims ["Rows", "Cap", "N", "T"] : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>) -> tensor<?x2x?x8xf32>
  %1 = plan.dispatch @append(%0, %x) dims ["Rows", "Cap", "N", "T"] : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>) -> tensor<?x2x?x8xf32>
  plan.return %1 : tensor<?x2x?x8xf32>
}
