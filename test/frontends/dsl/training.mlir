// RUN: dragoman-opt %s --dsl-make-transformer="training=1 vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1 pad=1 start=1 end=2 label-smoothing=0.1" | FileCheck %s
// RUN: dragoman-opt %s --dsl-make-transformer="training=1 vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1 pad=0 start=2 end=1 learned-positions=1 tied=0 seed=3" | FileCheck %s --check-prefix=LEARNED
// RUN: dragoman-opt %s --dsl-make-transformer="training=1 vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1 pad=1 start=0 end=2 dropout=0.25 activation-dropout=0.5" | FileCheck %s --check-prefix=DROPOUT

// With training, weights start as training does and there is the entry loss.

// CHECK: plan.weight @shared.weight : tensor<100x32xf32> {source = #plan.normal<1, 0.17677{{.*}}, zero_row = 1>, trainable}
// CHECK: plan.weight @final_logits_bias : tensor<100xf32> {source = #plan.splat<0.000000e+00 : f64>, trainable}
// CHECK: plan.weight @positions : tensor<512x32xf32> {source = #plan.sinusoid<1.000000e+04 : f64>}
// CHECK: plan.weight @encoder.layers.0.self_attn.q_proj.weight : tensor<32x32xf32> {decay, source = #plan.uniform<{{.*}}, 0.30618{{.*}}>, trainable}
// CHECK: plan.weight @encoder.layers.0.self_attn_layer_norm.weight : tensor<32xf32> {source = #plan.splat<1.000000e+00 : f64>, trainable}

// CHECK-LABEL: func.func @loss(
// CHECK-SAME: %[[IDS:.*]]: tensor<?x?xi64> {xf.dims = ["B", "S"], xf.domain = "ids(100)", xf.name = "source_ids"}
// CHECK-SAME: %[[LENGTH:.*]]: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)", xf.name = "source_length"}
// CHECK-SAME: tensor<?x?xi64> {xf.dims = ["B", "T"], xf.domain = "ids(100)", xf.name = "target_ids"}
// CHECK-SAME: tensor<?x?xi64> {xf.dims = ["B", "T"], xf.domain = "range(2,99)", xf.name = "labels"}
// CHECK-SAME: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,1000000)", xf.name = "row_key"}
// CHECK-SAME: tensor<i64> {xf.dims = [], xf.domain = "range(0,1000000)", xf.name = "seed"}
// CHECK-SAME: -> (tensor<f32> {xf.name = "loss"}, tensor<f32> {xf.name = "nll"}, tensor<f32> {xf.name = "correct"})
// CHECK: xf.attention %{{.*}} key_count %[[LENGTH]] {
// CHECK: xf.attention %{{.*}} {causal,
// CHECK: xf.attention %{{.*}} key_count %[[LENGTH]] {
// CHECK: xf.linear_cross_entropy %{{.*}}, %{{.*}} bias %{{.*}} target %{{.*}} {forbidden = array<i64: 1>, {{.*}}smoothing = 1.000000e-01 : f64}

// LEARNED: plan.weight @encoder.embed_tokens.weight : tensor<100x32xf32> {source = #plan.normal<3145729, {{.*}}, zero_row = 0>, trainable}
// LEARNED: plan.weight @encoder.embed_positions.weight : tensor<512x32xf32> {source = #plan.normal<{{.*}}>, trainable}
// LEARNED: plan.weight @decoder.embed_positions.weight
// LEARNED-LABEL: func.func @loss(
// LEARNED-SAME: xf.domain = "range(3,99)", xf.name = "labels"

// Dropout behind the embeddings, in front of every residual sum and inside the
// feed-forward layer, each place with a number of its own; in @loss only.
// DROPOUT-NOT: xf.dropout
// DROPOUT-LABEL: func.func @loss(
// DROPOUT: xf.dropout %{{.*}} seed %arg5 row_key %arg4 {p = 2.500000e-01 : f64, site = 0 : i64}
// DROPOUT: xf.dropout {{.*}} {p = 2.500000e-01 : f64, site = 3 : i64}
// DROPOUT: xf.dropout {{.*}} {p = 5.000000e-01 : f64, site = 4 : i64}
// DROPOUT: xf.dropout {{.*}} {p = 2.500000e-01 : f64, site = 5 : i64}
// DROPOUT: xf.linear_cross_entropy {{.*}} {forbidden = array<i64: 0, 1>
// DROPOUT-LABEL: func.func @align(
// DROPOUT-NOT: xf.dropout
