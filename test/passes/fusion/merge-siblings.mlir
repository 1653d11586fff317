// RUN: dragoman-opt %s --xf-merge-siblings | FileCheck %s
// RUN: dragoman-opt %s --xf-merge-siblings > %t.once
// RUN: dragoman-opt %t.once --xf-merge-siblings | diff - %t.once

plan.weight @q : tensor<8x16xf32> {source = #plan.normal<1, 0.25>}
plan.weight @k : tensor<4x16xf32> {source = #plan.normal<2, 0.25>}
plan.weight @v : tensor<8x16xf32> {source = #plan.normal<3, 0.25>}
plan.weight @wide : tensor<60x16xf32> {source = #plan.normal<4, 0.25>}
plan.weight @qb : tensor<8xf32> {source = #plan.normal<5, 0.25>}
plan.weight @kb : tensor<4xf32> {source = #plan.normal<6, 0.25>}

// CHECK: func.func private @q.merged.init() -> tensor<12x16xf32>
// CHECK: %[[Q:.*]] = plan.load @q :
// CHECK: %[[K:.*]] = plan.load @k :
// CHECK: tensor.concat dim(0) %[[Q]], %[[K]]
// CHECK: plan.weight @q.merged : tensor<12x16xf32> {derived = @q.merged.init}
// CHECK: plan.weight @qb.merged : tensor<12xf32> {derived = @qb.merged.init}

// CHECK-LABEL: func.func @two_with_bias
func.func @two_with_bias(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}) -> (tensor<?x8xf32>, tensor<?x4xf32>) {
  // CHECK: %[[W:.*]] = plan.load @q.merged
  // CHECK: %[[B:.*]] = plan.load @qb.merged
  // CHECK: %[[Y:.*]] = xf.linear %arg0, %[[W]] bias %[[B]] {activation = "relu"}
  // CHECK: tensor.extract_slice %[[Y]][0, 0] [%{{.*}}, 8] [1, 1]
  // CHECK: tensor.extract_slice %[[Y]][0, 8] [%{{.*}}, 4] [1, 1]
  // CHECK-NOT: xf.linear
  %q = plan.load @q : tensor<8x16xf32>
  %k = plan.load @k : tensor<4x16xf32>
  %qb = plan.load @qb : tensor<8xf32>
  %kb = plan.load @kb : tensor<4xf32>
  %0 = xf.linear %x, %q bias %qb {activation = "relu"} : (tensor<?x16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %1 = xf.linear %x, %k bias %kb {activation = "relu"} : (tensor<?x16xf32>, tensor<4x16xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x8xf32>, tensor<?x4xf32>
}

// Another activation, a bias on one side only or more than 4*K columns keep
// layers apart.
// CHECK-LABEL: func.func @apart
func.func @apart(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x60xf32>) {
  // CHECK-COUNT-4: xf.linear
  // CHECK-NOT: tensor.extract_slice
  %q = plan.load @q : tensor<8x16xf32>
  %v = plan.load @v : tensor<8x16xf32>
  %wide = plan.load @wide : tensor<60x16xf32>
  %qb = plan.load @qb : tensor<8xf32>
  %0 = xf.linear %x, %q {activation = "relu"} : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %1 = xf.linear %x, %v : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %2 = xf.linear %x, %q bias %qb : (tensor<?x16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %3 = xf.linear %x, %wide : (tensor<?x16xf32>, tensor<60x16xf32>) -> tensor<?x60xf32>
  return %0, %1, %2, %3 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x60xf32>
}
