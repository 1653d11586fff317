// RUN: dragoman-opt %s --lower-cpu=level=x86-64-v3 | FileCheck %s
// RUN: not dragoman-opt %s --lower-cpu=level=x86-64-v9 2>&1 | FileCheck %s --check-prefix=LEVEL

// LEVEL: unknown CPU level 'x86-64-v9', expected x86-64-v3 or x86-64-v4

// The tiles of a launch are a loop; sums go through one switch over the heights
// of register tiles, bias and activation stand once, in a helper.
// CHECK-LABEL: func.func @linear_0(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %[[T0:.*]]: i64, %[[T1:.*]]: i64, %{{.*}}: !llvm.ptr) -> i32
// CHECK-DAG: %[[FROM:.*]] = arith.index_cast %[[T0]]
// CHECK-DAG: %[[TO:.*]] = arith.index_cast %[[T1]]
// CHECK: scf.for %{{.*}} = %[[FROM]] to %[[TO]] step
// CHECK: scf.index_switch
// CHECK: math.fma
// CHECK: call @linear_0.epilogue
// CHECK-LABEL: func.func private @linear_0.epilogue(
// CHECK: arith.addf
// CHECK: arith.cmpf olt
plan.kernel @linear_0(%x: tensor<?x8xf32> {xf.dims = ["M", "8"]}, %w: tensor<64x8xf32> {plan.layout = "panel16", xf.dims = ["64", "8"]}, %b: tensor<64xf32> {xf.dims = ["64"]}) -> (tensor<?x64xf32> {xf.dims = ["M", "64"]}) attributes {dims = ["M"], schedule = #plan.schedule<"linear", {row_block = 96 : i64}>, tiles = "ceildiv(M,96)"} {
  %y = xf.linear %x, %w bias %b {activation = "relu"} : (tensor<?x8xf32>, tensor<64x8xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  plan.yield %y : tensor<?x64xf32>
}
