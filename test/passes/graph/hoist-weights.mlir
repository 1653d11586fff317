// RUN: dragoman-opt %s -xf-hoist-weights -canonicalize | FileCheck %s

plan.weight @w : tensor<32x16xf32> {source = #plan.file<"model.onnx", 0, 2048>}

// Two equal computations share one derived weight.
// CHECK: plan.weight @w.derived : tensor<16x32xf32> {derived = @init}
// CHECK: func.func private @init() -> tensor<16x32xf32>
// CHECK: linalg.transpose
// CHECK-NOT: derived = @init_
// CHECK-LABEL: func.func @two_uses
// CHECK-NOT: linalg.transpose
// CHECK: %[[W:.*]] = plan.load @w.derived
func.func @two_uses(%x: tensor<?x32xf32>) -> (tensor<?x16xf32>, tensor<?x16xf32>) {
  %w = plan.load @w : tensor<32x16xf32>
  %e = tensor.empty() : tensor<16x32xf32>
  %t = linalg.transpose ins(%w : tensor<32x16xf32>) outs(%e : tensor<16x32xf32>) permutation = [1, 0]
  %y = xf.linear %x, %t : (tensor<?x32xf32>, tensor<16x32xf32>) -> tensor<?x16xf32>
  %e2 = tensor.empty() : tensor<16x32xf32>
  %t2 = linalg.transpose ins(%w : tensor<32x16xf32>) outs(%e2 : tensor<16x32xf32>) permutation = [1, 0]
  %z = xf.linear %x, %t2 {activation = "relu"} : (tensor<?x32xf32>, tensor<16x32xf32>) -> tensor<?x16xf32>
  return %y, %z : tensor<?x16xf32>, tensor<?x16xf32>
}
