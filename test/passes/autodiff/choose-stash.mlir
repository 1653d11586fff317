// RUN: dragoman-opt --xf-choose-stash %s | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: dragoman-opt --xf-choose-stash="memory=8*N dims=N=32" %s | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: dragoman-opt --xf-choose-stash="memory=9999*N dims=N=32" %s | FileCheck %s --check-prefix=ENOUGH
// RUN: dragoman-opt --verify-semantics --xf-choose-stash="memory=1" %s -o %t

// z and s = 2 z + 1, then g = gelu(z), are read by products in the forward pass
// and again at the end; z is kept anyway. What is free is repeated at once,
// gelu only under a bound; a bound that is met changes nothing.

// CHECK-LABEL: func.func @backward
// CHECK: %[[Z:.*]] = xf.linear
// CHECK: %[[S:.*]] = linalg.generic
// CHECK: %[[G:.*]] = xf.gelu %[[Z]] : (
// CHECK: xf.linear %[[S]]
// CHECK: xf.linear %[[G]]
// BOUND: %[[G2:.*]] = xf.gelu %[[Z]] {xf.recompute}
// FREE-NOT: xf.gelu
// FREE: xf.matmul %{{.*}}, %[[G]] {transpose_a}
// BOUND: xf.matmul %{{.*}}, %[[G2]] {transpose_a}
// CHECK: %[[S2:.*]] = linalg.generic {{.*}} ins(%[[Z]] : {{.*}} attrs = {xf.recompute}
// CHECK: xf.matmul %{{.*}}, %[[S2]] {transpose_a}
// CHECK: math.exp %[[Z]]

// ENOUGH-LABEL: func.func @backward
// ENOUGH-NOT: xf.recompute
func.func @backward(%x: tensor<?x8xf32> {xf.dims = ["N", "8"]}, %w: tensor<8x8xf32>, %v: tensor<64x8xf32>)
    -> (tensor<64x8xf32>, tensor<64x8xf32>, tensor<?x8xf32>) {
  %z = xf.linear %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<?x8xf32>) outs(%z : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %two : f32
    %1 = arith.addf %0, %one : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  %g = xf.gelu %z : (tensor<?x8xf32>) -> tensor<?x8xf32>
  %p = xf.linear %s, %v : (tensor<?x8xf32>, tensor<64x8xf32>) -> tensor<?x64xf32>
  %q = xf.linear %g, %v : (tensor<?x8xf32>, tensor<64x8xf32>) -> tensor<?x64xf32>
  %pq = xf.matmul %p, %q {transpose_b} : (tensor<?x64xf32>, tensor<?x64xf32>) -> tensor<?x?xf32>
  %u = xf.matmul %pq, %q : (tensor<?x?xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %dg = xf.matmul %u, %g {transpose_a} : (tensor<?x64xf32>, tensor<?x8xf32>) -> tensor<64x8xf32>
  %ds = xf.matmul %u, %s {transpose_a} : (tensor<?x64xf32>, tensor<?x8xf32>) -> tensor<64x8xf32>
  %e = math.exp %z : tensor<?x8xf32>
  return %dg, %ds, %e : tensor<64x8xf32>, tensor<64x8xf32>, tensor<?x8xf32>
}
