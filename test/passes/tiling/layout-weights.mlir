// RUN: dragoman-opt %s --plan-layout-weights | FileCheck %s
// RUN: dragoman-opt %s --plan-layout-weights > %t.once
// RUN: dragoman-opt %t.once --plan-layout-weights | diff - %t.once

// Weights stand in order of use. @table is read by rows and as a projection, so
// it is stored twice; @proj only as a projection.
// CHECK: plan.weight @table : tensor<100x16xf32> {source = #plan.normal<1,{{[^,]*}}>}
// CHECK-NEXT: plan.weight @proj : tensor<16x16xf32> {layout = "panel16", source = #plan.normal<2,
// CHECK-NEXT: plan.weight @table.panel16 : tensor<100x16xf32> {layout = "panel16", source = #plan.normal<1,
// CHECK-NEXT: plan.weight @unused
plan.weight @unused : tensor<4xf32> {source = #plan.normal<3, 0.5>}
plan.weight @proj : tensor<16x16xf32> {source = #plan.normal<2, 0.5>}
plan.weight @table : tensor<100x16xf32> {source = #plan.normal<1, 0.5>}

// Keys lie in panels; values do not, nor do keys that something else reads.
// CHECK: plan.state @keys : {{.*}} layout = "panel16"
// CHECK: plan.state @values : {{.*}} {dims = ["R", "2", "Cap", "8"]}
// CHECK: plan.state @both : {{.*}} {dims = ["R", "2", "Cap", "8"]}
plan.state @keys : tensor<?x2x?x8xf32> {dims = ["R", "2", "Cap", "8"]}
plan.state @values : tensor<?x2x?x8xf32> {dims = ["R", "2", "Cap", "8"]}
plan.state @both : tensor<?x2x?x8xf32> {dims = ["R", "2", "Cap", "8"]}

plan.kernel @gather(%t: tensor<100x16xf32> {xf.dims = ["100", "16"]}, %i: tensor<?xi64> {xf.dims = ["N"]}) -> (tensor<?x16xf32> {xf.dims = ["N", "16"]}) attributes {dims = ["N"]} {
  %y = xf.embedding %t, %i : (tensor<100x16xf32>, tensor<?xi64>) -> tensor<?x16xf32>
  plan.yield %y : tensor<?x16xf32>
}

// CHECK-LABEL: plan.kernel @square
// CHECK-SAME: %arg1: tensor<16x16xf32> {plan.layout = "panel16"
plan.kernel @square(%x: tensor<?x16xf32> {xf.dims = ["N", "16"]}, %w: tensor<16x16xf32> {xf.dims = ["16", "16"]}) -> (tensor<?x16xf32> {xf.dims = ["N", "16"]}) attributes {dims = ["N"]} {
  %y = xf.linear %x, %w : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  plan.yield %y : tensor<?x16xf32>
}

plan.kernel @project(%x: tensor<?x16xf32> {xf.dims = ["N", "16"]}, %w: tensor<100x16xf32> {xf.dims = ["100", "16"]}) -> (tensor<?x100xf32> {xf.dims = ["N", "100"]}) attributes {dims = ["N"]} {
  %y = xf.linear %x, %w : (tensor<?x16xf32>, tensor<100x16xf32>) -> tensor<?x100xf32>
  plan.yield %y : tensor<?x100xf32>
}

// CHECK-LABEL: plan.entry @tied
// CHECK: %[[T:.*]] = plan.load @table :
// CHECK: plan.dispatch @gather(%[[T]]
// CHECK: %[[P:.*]] = plan.load @table.panel16 :
// CHECK: plan.dispatch @project(%{{.*}}, %[[P]])
plan.entry @tied(%i: tensor<?xi64> {xf.dims = ["N"], xf.name = "ids"}) -> (tensor<?x100xf32> {xf.name = "logits", xf.dims = ["N", "100"]}) attributes {dims = ["N"]} {
  %t = plan.load @table : tensor<100x16xf32>
  %p = plan.load @proj : tensor<16x16xf32>
  %0 = plan.dispatch @gather(%t, %i) dims ["N"] : (tensor<100x16xf32>, tensor<?xi64>) -> tensor<?x16xf32>
  %1 = plan.dispatch @square(%0, %p) dims ["N"] : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %2 = plan.dispatch @project(%1, %t) dims ["N"] : (tensor<?x16xf32>, tensor<100x16xf32>) -> tensor<?x100xf32>
  plan.return %2 : tensor<?x100xf32>
}

// CHECK-LABEL: plan.kernel @append
// CHECK-SAME: %arg0: tensor<?x2x?x8xf32> {plan.layout = "panel16"
// CHECK: xf.cache_append {{.*}}layout = "panel16"
plan.kernel @append(%c: tensor<?x2x?x8xf32> {xf.dims = ["R", "2", "Cap", "8"]}, %x: tensor<?x2x?x8xf32> {xf.dims = ["N", "2", "T", "8"]}) -> (tensor<?x2x?x8xf32> {plan.alias = 0 : i64, xf.dims = ["R", "2", "Cap", "8"]}) attributes {dims = ["R", "Cap", "N", "T"]} {
  %y = xf.cache_append %c, %x : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>) -> tensor<?x2x?x8xf32>
  plan.yield %y : tensor<?x2x?x8xf32>
}

// CHECK-LABEL: plan.kernel @attend
// CHECK: xf.attention {{.*}}k_layout = "panel16"
plan.kernel @attend(%q: tensor<?x2x?x8xf32> {xf.dims = ["N", "2", "T", "8"]}, %k: tensor<?x2x?x8xf32> {xf.dims = ["R", "2", "Cap", "8"]}, %v: tensor<?x2x?x8xf32> {xf.dims = ["R", "2", "Cap", "8"]}, %r: tensor<?x1xi32> {xf.dims = ["N", "1"]}) -> (tensor<?x2x?x8xf32> {xf.dims = ["N", "2", "T", "8"]}) attributes {dims = ["N", "T", "R", "Cap"]} {
  %o, %l = xf.attention %q, %k, %v rows %r : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x1xi32>) -> (tensor<?x2x?x8xf32>, tensor<?x2x?xf32>)
  plan.yield %o : tensor<?x2x?x8xf32>
}

// CHECK-LABEL: plan.kernel @attend_both
// CHECK: xf.attention
// CHECK-NOT: panel16
plan.kernel @attend_both(%q: tensor<?x2x?x8xf32> {xf.dims = ["N", "2", "T", "8"]}, %k: tensor<?x2x?x8xf32> {xf.dims = ["R", "2", "Cap", "8"]}, %r: tensor<?x1xi32> {xf.dims = ["N", "1"]}) -> (tensor<?x2x?x8xf32> {xf.dims = ["N", "2", "T", "8"]}) attributes {dims = ["N", "T", "R", "Cap"]} {
  %o, %l = xf.attention %q, %k, %k rows %r : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x1xi32>) -> (tensor<?x2x?x8xf32>, tensor<?x2x?xf32>)
  plan.yield %o : tensor<?x2x?x8xf32>
}

// CHECK-LABEL: plan.entry @caches
plan.entry @caches(%x: tensor<?x2x?x8xf32> {xf.dims = ["N", "2", "T", "8"], xf.name = "x"}, %r: tensor<?x1xi32> {xf.dims = ["N", "1"], xf.name = "r"}, %k: tensor<?x2x?x8xf32> {xf.dims = ["R", "2", "Cap", "8"], plan.state = @keys}, %v: tensor<?x2x?x8xf32> {xf.dims = ["R", "2", "Cap", "8"], plan.state = @values}, %b: tensor<?x2x?x8xf32> {xf.dims = ["R", "2", "Cap", "8"], plan.state = @both}) -> (tensor<?x2x?x8xf32> {plan.state = @keys, xf.dims = ["R", "2", "Cap", "8"]}, tensor<?x2x?x8xf32> {xf.name = "y", xf.dims = ["N", "2", "T", "8"]}, tensor<?x2x?x8xf32> {xf.name = "z", xf.dims = ["N", "2", "T", "8"]}) attributes {dims = ["N", "T", "R", "Cap"]} {
  %k1 = plan.dispatch @append(%k, %x) dims ["R", "Cap", "N", "T"] : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>) -> tensor<?x2x?x8xf32>
  %y = plan.dispatch @attend(%x, %k1, %v, %r) dims ["N", "T", "R", "Cap"] : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x1xi32>) -> tensor<?x2x?x8xf32>
  %z = plan.dispatch @attend_both(%x, %b, %r) dims ["N", "T", "R", "Cap"] : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x1xi32>) -> tensor<?x2x?x8xf32>
  plan.return %k1, %y, %z : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
}
