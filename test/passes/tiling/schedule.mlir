// RUN: dragoman-opt %s --plan-schedule | FileCheck %s
// RUN: dragoman-opt %s --plan-schedule > %t.once
// RUN: dragoman-opt %t.once --plan-schedule | diff - %t.once

// CHECK-LABEL: plan.kernel @linear
// CHECK-SAME: schedule = #plan.schedule<"linear", {
// CHECK-SAME: tiles = "3*ceildiv({{.*}}B*S{{.*}})"
plan.kernel @linear(%x: tensor<?x?x16xf32> {xf.dims = ["B", "S", "16"]}, %w: tensor<130x16xf32> {xf.dims = ["130", "16"]}) -> (tensor<?x?x130xf32> {xf.dims = ["B", "S", "130"]}) attributes {dims = ["B", "S"]} {
  %y = xf.linear %x, %w : (tensor<?x?x16xf32>, tensor<130x16xf32>) -> tensor<?x?x130xf32>
  plan.yield %y : tensor<?x?x130xf32>
}

// CHECK-LABEL: plan.kernel @norm
// CHECK-SAME: schedule = #plan.schedule<"layer_norm",
// CHECK-SAME: tiles = "ceildiv(B,
plan.kernel @norm(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}) -> (tensor<?x16xf32> {xf.dims = ["B", "16"]}) attributes {dims = ["B"]} {
  %y = xf.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<?x16xf32>) -> tensor<?x16xf32>
  plan.yield %y : tensor<?x16xf32>
}

// A kernel without a root is a cluster; one that updates a state goes by the
// update.
// CHECK-LABEL: plan.kernel @cluster
// CHECK-SAME: #plan.schedule<"elementwise",
plan.kernel @cluster(%x: tensor<9x16xf32> {xf.dims = ["9", "16"]}, %i: tensor<?xi64> {xf.dims = ["N"]}) -> (tensor<?x16xf32> {xf.dims = ["N", "16"]}) attributes {dims = ["N"]} {
  %y = xf.embedding %x, %i : (tensor<9x16xf32>, tensor<?xi64>) -> tensor<?x16xf32>
  plan.yield %y : tensor<?x16xf32>
}

// CHECK-LABEL: plan.kernel @update
// CHECK-SAME: #plan.schedule<"cache_append",
plan.kernel @update(%c: tensor<?x2x?x4xf32> {xf.dims = ["R", "2", "Cap", "4"]}, %x: tensor<?x2x?x4xf32> {xf.dims = ["N", "2", "T", "4"]}) -> (tensor<?x2x?x4xf32> {plan.alias = 0 : i64, xf.dims = ["R", "2", "Cap", "4"]}) attributes {dims = ["R", "Cap", "N", "T"]} {
  %y = xf.cache_append %c, %x : (tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) -> tensor<?x2x?x4xf32>
  plan.yield %y : tensor<?x2x?x4xf32>
}

// A weight's gradient is small and sums over all rows: two tiles.
// CHECK-LABEL: plan.kernel @weight_gradient
// CHECK-SAME: #plan.schedule<"matmul", {columns = 128 : i64, depth = 128 : i64, kept_blocks = 0 : i64, rows = 96 : i64}>
// CHECK-SAME: tiles = "2"
plan.kernel @weight_gradient(%a: tensor<?x128xf32> {xf.dims = ["R", "128"]}, %b: tensor<?x128xf32> {xf.dims = ["R", "128"]}) -> (tensor<128x128xf32> {xf.dims = ["128", "128"]}) attributes {dims = ["R"]} {
  %c = xf.matmul %a, %b {transpose_a} : (tensor<?x128xf32>, tensor<?x128xf32>) -> tensor<128x128xf32>
  plan.yield %c : tensor<128x128xf32>
}

// Batches that meet one b are rows of one product, and b is kept.
// CHECK-LABEL: plan.kernel @shared_weight
// CHECK-SAME: #plan.schedule<"matmul", {columns = 192 : i64, depth = 304 : i64, kept_blocks = 2 : i64, rows = 96 : i64}>
// CHECK-SAME: tiles = "2*ceildiv(B*T,96)"
plan.kernel @shared_weight(%a: tensor<?x?x600xf32> {xf.dims = ["B", "T", "600"]}, %b: tensor<1x300x600xf32> {xf.dims = ["1", "300", "600"]}) -> (tensor<?x?x300xf32> {xf.dims = ["B", "T", "300"]}) attributes {dims = ["B", "T"]} {
  %c = xf.matmul %a, %b {transpose_b} : (tensor<?x?x600xf32>, tensor<1x300x600xf32>) -> tensor<?x?x300xf32>
  plan.yield %c : tensor<?x?x300xf32>
}
