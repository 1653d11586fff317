// RUN: dragoman-opt --xf-differentiate %s | FileCheck %s

// A module without @loss stays as it is.

// CHECK-NOT: plan.state
// CHECK: func.func @encode
// CHECK-NEXT: plan.load @w
// CHECK-NEXT: return
// CHECK-NOT: func.func
plan.weight @w : tensor<2xf32> {source = #plan.normal<2, 0.5>, trainable}
func.func @encode() -> tensor<2xf32> {
  %w = plan.load @w : tensor<2xf32>
  return %w : tensor<2xf32>
}
