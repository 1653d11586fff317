// RUN: dragoman-opt %s --dsl-make-transformer="vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1" | FileCheck %s
// RUN: dragoman-opt %s --dsl-make-transformer="vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1 pre-norm=1 tied=0 biases=0" | FileCheck %s --check-prefix=PRE
// RUN: dragoman-opt %s --dsl-make-transformer="vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1" > %t.once
// RUN: dragoman-opt %t.once | diff - %t.once
// RUN: not dragoman-opt %s --dsl-make-transformer="d-model=32 heads=3" 2>&1 | FileCheck %s --check-prefix=ERROR

// The generator writes the four entries of a translator in the form of import.

// CHECK: plan.weight @shared.weight : tensor<100x32xf32> {source = #plan.normal<1,
// CHECK: plan.state @self_k.0 : tensor<?x2x?x16xf32> {dims = ["Rows", "2", "Cap", "16"]}
// CHECK: plan.state @cross_v.0 : tensor<?x2x?x16xf32> {dims = ["SrcRows", "2", "SrcCap", "16"]}

// CHECK-LABEL: func.func @encode
// CHECK: xf.embedding
// CHECK: %[[OUT:.*]], %{{.*}} = xf.attention %{{.*}}, %{{.*}}, %{{.*}} key_count %arg1
// CHECK: %[[HEADS:.*]] = tensor.collapse_shape %[[OUT]]
// CHECK: %[[Y:.*]] = xf.linear %[[HEADS]]
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[Y]]
// CHECK: xf.layer_norm %[[SUM]]

// CHECK-LABEL: func.func @prepare
// CHECK: xf.cache_append %arg2, %{{.*}} row %arg1

// CHECK-LABEL: func.func @decode
// CHECK: %[[COUNT:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<?xi64>) outs(%{{.*}} : tensor<?xi64>)
// CHECK: %[[KEYS:.*]] = xf.cache_append %arg6, %{{.*}} at %arg1 row %arg2
// CHECK: xf.attention %{{.*}}, %[[KEYS]], %{{.*}} key_count %[[COUNT]] offset %arg1 rows %arg3 {causal
// CHECK: xf.attention %{{.*}}, %arg8, %arg9 key_count %arg5 rows %arg4

// CHECK-LABEL: func.func @select
// CHECK: xf.select

// Pre-norm: the first norm reads the embeddings, the last one feeds the
// projection.
// PRE: plan.weight @lm_head.weight
// PRE-LABEL: func.func @encode
// PRE: %[[X:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x?x32xf32>)
// PRE: xf.layer_norm %[[X]]
// PRE-LABEL: func.func @decode
// PRE: %[[LAST:.*]] = xf.layer_norm
// PRE: xf.linear %[[LAST]], %{{.*}} : (

// ERROR: error: expected heads (3) to divide d-model (32)
