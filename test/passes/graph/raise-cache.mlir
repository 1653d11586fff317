// RUN: dragoman-opt %s -xf-raise-cache -canonicalize -cse | FileCheck %s

// One layer, one head of size 4: the decoder of the first step and the decoder of
// later steps become prepare and decode over states.

!ids = tensor<?x?xi64>
!x = tensor<?x?x4xf32>
!heads = tensor<?x?x1x4xf32>
!cache = tensor<?x1x?x4xf32>
#x = affine_map<(b, t, c) -> (b, t, c)>

plan.weight @table : tensor<9x4xf32> {source = #plan.normal<1, 1.0 : f64>}
plan.weight @positions : tensor<16x4xf32> {source = #plan.normal<2, 1.0 : f64>}
plan.weight @k : tensor<4x4xf32> {source = #plan.normal<3, 1.0 : f64>}

// CHECK: plan.state @self_k.0 : tensor<?x1x?x4xf32> {dims = ["Rows", "1", "Cap", "4"], layout = "panel16"}
// CHECK: plan.state @self_v.0 : tensor<?x1x?x4xf32> {dims = ["Rows", "1", "Cap", "4"]}
// CHECK: plan.state @cross_k.0 : tensor<?x1x?x4xf32> {dims = ["SrcRows", "1", "SrcCap", "4"], layout = "panel16"}
// CHECK: plan.state @cross_v.0 : tensor<?x1x?x4xf32> {dims = ["SrcRows", "1", "SrcCap", "4"]}

// CHECK-LABEL: func.func @prepare
// CHECK-SAME: %[[H:[a-z0-9]+]]: tensor<?x?x4xf32> {{{.*}}xf.name = "encoder_hidden_states"}, %[[ROW:[a-z0-9]+]]: tensor<?xi32> {{{.*}}xf.name = "source_row"}, %[[CK:[a-z0-9]+]]: tensor<?x1x?x4xf32> {{{.*}}xf.name = "cross_k.0"}
// CHECK: %[[L:.*]] = xf.linear %[[H]]
// CHECK: %[[E:.*]] = tensor.expand_shape %[[L]]
// CHECK: xf.cache_append %[[CK]], %[[E]] row %[[ROW]] {fresh_layout = "bthd", layout = "panel16", site = 1 : i64}

// CHECK-LABEL: func.func @decode
// CHECK-SAME: %[[IDS:[a-z0-9]+]]: tensor<?x?xi64> {{{.*}}xf.name = "input_ids"}, %[[POS:[a-z0-9]+]]: tensor<?xi64> {{{.*}}xf.name = "position"}, %[[CROW:[a-z0-9]+]]: tensor<?xi32> {{{.*}}xf.name = "cache_row"}, %[[ROWS:[a-z0-9]+]]: tensor<?x?xi32> {{{.*}}xf.name = "rows"}, %[[SROW:[a-z0-9]+]]: tensor<?x1xi32> {{{.*}}xf.name = "source_row"}, %[[LEN:[a-z0-9]+]]: tensor<?xi64> {{{.*}}xf.name = "source_length"}
// CHECK: %[[COUNT:.*]] = linalg.generic {{.*}} ins(%[[POS]] : tensor<?xi64>)
// CHECK: xf.embedding
// CHECK: %[[IOTA:.*]] = linalg.generic {{.*}} ins(%[[POS]] : tensor<?xi64>) outs({{.*}} : tensor<?x?xi64>)
// CHECK: xf.embedding %{{.*}}, %[[IOTA]]
// CHECK: %[[K:.*]] = xf.cache_append %{{.*}}, %{{.*}} at %[[POS]] row %[[CROW]] {fresh_layout = "bthd", layout = "panel16", site = 1 : i64}
// CHECK: %[[V:.*]] = xf.cache_append %{{.*}}, %{{.*}} at %[[POS]] row %[[CROW]]
// CHECK: xf.attention %{{.*}}, %[[K]], %[[V]] key_count %[[COUNT]] offset %[[POS]] rows %[[ROWS]] {causal, k_layout = "panel16"
// CHECK: xf.attention %{{.*}}, %{{.*}}, %{{.*}} key_count %[[LEN]] rows %[[SROW]] {k_layout = "panel16"

// CHECK-NOT: xf.role

func.func @first(%len: tensor<?xi64> {xf.dims = ["R"], xf.name = "source_length"}, %ids: !ids {xf.dims = ["R", "T"], xf.name = "input_ids"}, %hidden: !x {xf.dims = ["R", "S", "4"], xf.name = "encoder_hidden_states"}) -> (!x {xf.name = "logits"}, !cache {xf.cache = "self_k.0"}, !cache {xf.cache = "self_v.0"}, !cache {xf.cache = "cross_k.0"}, !cache {xf.cache = "cross_v.0"}) attributes {xf.role = "first"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = tensor.dim %ids, %c0 : !ids
  %t = tensor.dim %ids, %c1 : !ids
  %s = tensor.dim %hidden, %c1 : !x
  %table = plan.load @table : tensor<9x4xf32>
  %positions = plan.load @positions : tensor<16x4xf32>
  %k = plan.load @k : tensor<4x4xf32>
  %emb = xf.embedding %table, %ids : (tensor<9x4xf32>, !ids) -> !x
  %e0 = tensor.empty(%t) : tensor<?xi64>
  %iota = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>], iterator_types = ["parallel"]} outs(%e0 : tensor<?xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %w = arith.index_cast %i : index to i64
    linalg.yield %w : i64
  } -> tensor<?xi64>
  %pos = xf.embedding %positions, %iota {site = 5 : i64} : (tensor<16x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %e1 = tensor.empty(%r, %t) : !x
  %x = linalg.generic {indexing_maps = [#x, affine_map<(b, t, c) -> (t, c)>, #x], iterator_types = ["parallel", "parallel", "parallel"]} ins(%emb, %pos : !x, tensor<?x4xf32>) outs(%e1 : !x) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> !x
  %lin = xf.linear %x, %k : (!x, tensor<4x4xf32>) -> !x
  %split = tensor.expand_shape %lin [[0], [1], [2, 3]] output_shape [%r, %t, 1, 4] : !x into !heads
  %e2 = tensor.empty(%r, %t) : !cache
  %new = linalg.transpose ins(%split : !heads) outs(%e2 : !cache) permutation = [0, 2, 1, 3]
  %self, %l0 = xf.attention %split, %split, %split {causal, q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (!heads, !heads, !heads) -> (!heads, tensor<?x1x?xf32>)
  %clin = xf.linear %hidden, %k : (!x, tensor<4x4xf32>) -> !x
  %csplit = tensor.expand_shape %clin [[0], [1], [2, 3]] output_shape [%r, %s, 1, 4] : !x into !heads
  %e3 = tensor.empty(%r, %s) : !cache
  %cross = linalg.transpose ins(%csplit : !heads) outs(%e3 : !cache) permutation = [0, 2, 1, 3]
  %attended, %l1 = xf.attention %self, %csplit, %csplit key_count %len {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (!heads, !heads, !heads, tensor<?xi64>) -> (!heads, tensor<?x1x?xf32>)
  %logits = tensor.collapse_shape %attended [[0], [1], [2, 3]] : !heads into !x
  return %logits, %new, %new, %cross, %cross : !x, !cache, !cache, !cache, !cache
}

func.func @past(%len: tensor<?xi64> {xf.dims = ["R"], xf.name = "source_length"}, %ids: !ids {xf.dims = ["R", "T"], xf.name = "input_ids"}, %pk: !cache {xf.dims = ["R", "1", "P", "4"], xf.cache = "self_k.0"}, %pv: !cache {xf.dims = ["R", "1", "P", "4"], xf.cache = "self_v.0"}, %ck: !cache {xf.dims = ["R", "1", "S", "4"], xf.cache = "cross_k.0"}, %cv: !cache {xf.dims = ["R", "1", "S", "4"], xf.cache = "cross_v.0"}) -> (!x {xf.name = "logits"}, !cache {xf.cache = "self_k.0"}, !cache {xf.cache = "self_v.0"}) attributes {xf.role = "past"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = tensor.dim %ids, %c0 : !ids
  %t = tensor.dim %ids, %c1 : !ids
  %p = tensor.dim %pk, %c2 : !cache
  %table = plan.load @table : tensor<9x4xf32>
  %positions = plan.load @positions : tensor<16x4xf32>
  %k = plan.load @k : tensor<4x4xf32>
  %emb = xf.embedding %table, %ids : (tensor<9x4xf32>, !ids) -> !x
  %e0 = tensor.empty(%t) : tensor<?xi64>
  %iota = linalg.generic {indexing_maps = [affine_map<(t) -> (t)>], iterator_types = ["parallel"]} outs(%e0 : tensor<?xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %at = arith.addi %i, %p : index
    %w = arith.index_cast %at : index to i64
    linalg.yield %w : i64
  } -> tensor<?xi64>
  %pos = xf.embedding %positions, %iota {site = 6 : i64} : (tensor<16x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %e1 = tensor.empty(%r, %t) : !x
  %x = linalg.generic {indexing_maps = [#x, affine_map<(b, t, c) -> (t, c)>, #x], iterator_types = ["parallel", "parallel", "parallel"]} ins(%emb, %pos : !x, tensor<?x4xf32>) outs(%e1 : !x) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> !x
  %lin = xf.linear %x, %k : (!x, tensor<4x4xf32>) -> !x
  %split = tensor.expand_shape %lin [[0], [1], [2, 3]] output_shape [%r, %t, 1, 4] : !x into !heads
  %e2 = tensor.empty(%r, %t) : !cache
  %new = linalg.transpose ins(%split : !heads) outs(%e2 : !cache) permutation = [0, 2, 1, 3]
  %allk = tensor.concat dim(2) %pk, %new : (!cache, !cache) -> !cache
  %allv = tensor.concat dim(2) %pv, %new : (!cache, !cache) -> !cache
  %pw = arith.index_cast %p : index to i64
  %offset = tensor.from_elements %pw : tensor<i64>
  %self, %l0 = xf.attention %split, %allk, %allv offset %offset {causal, q_layout = "bthd", out_layout = "bthd"} : (!heads, !cache, !cache, tensor<i64>) -> (!heads, tensor<?x1x?xf32>)
  %attended, %l1 = xf.attention %self, %ck, %cv key_count %len {q_layout = "bthd", out_layout = "bthd"} : (!heads, !cache, !cache, tensor<?xi64>) -> (!heads, tensor<?x1x?xf32>)
  %logits = tensor.collapse_shape %attended [[0], [1], [2, 3]] : !heads into !x
  return %logits, %allk, %allv : !x, !cache, !cache
}
