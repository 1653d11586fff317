// RUN: dragoman-opt %s | dragoman-opt | FileCheck %s

// The printed form of xf and plan ops is read back unchanged.

// CHECK: plan.weight @w : tensor<8x4xf32> {source = #plan.normal<7, 2.000000e-02 : f64>}
plan.weight @w : tensor<8x4xf32> {source = #plan.normal<7, 0.02>}

// CHECK: plan.state @self_k.0 : tensor<?x4x?x32xf32> {dims = ["Rows", "4", "Cap", "32"], layout = "panel16"}
plan.state @self_k.0 : tensor<?x4x?x32xf32> {dims = ["Rows", "4", "Cap", "32"], layout = "panel16"}

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<?x?x4x32xf32> {xf.dims = ["B", "T", "4", "32"]}, %n: tensor<?xi64> {xf.dims = ["B"]}) -> tensor<?x?x4x32xf32> {
  // CHECK: xf.attention %{{.*}}, %{{.*}}, %{{.*}} key_count %{{.*}} {causal, k_layout = "bthd"
  // CHECK-SAME: score {
  %o, %l = xf.attention %q, %q, %q key_count %n {causal, q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    xf.yield %s : f32
  } : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?xi64>) -> (tensor<?x?x4x32xf32>, tensor<?x4x?xf32>)
  return %o : tensor<?x?x4x32xf32>
}

// CHECK-LABEL: plan.kernel @k
// CHECK-SAME: schedule = #plan.schedule<"linear", {rows = 6 : i64}>
plan.kernel @k(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>) -> tensor<?x8xf32> attributes {dims = ["M"], schedule = #plan.schedule<"linear", {rows = 6 : i64}>, tiles = "ceildiv(M,6)"} {
  %y = xf.linear %x, %w : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<?x8xf32>
  plan.yield %y : tensor<?x8xf32>
}

// CHECK-LABEL: plan.entry @main
plan.entry @main(%x: tensor<?x4xf32> {xf.dims = ["B", "4"]}) -> tensor<?x8xf32> attributes {dims = ["B"]} {
  // CHECK: plan.load @w
  %w = plan.load @w : tensor<8x4xf32>
  // CHECK: plan.dispatch @k(%{{.*}}, %{{.*}}) dims ["B"]
  %y = plan.dispatch @k(%x, %w) dims ["B"] : (tensor<?x4xf32>, tensor<8x4xf32>) -> tensor<?x8xf32>
  plan.return %y : tensor<?x8xf32>
}
