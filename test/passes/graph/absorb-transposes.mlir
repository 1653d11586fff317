// RUN: dragoman-opt %s -xf-absorb-transposes -cse -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @around_attention
// CHECK-NOT: linalg.transpose
// CHECK: %[[O:.*]], %{{.*}} = xf.attention %arg0, %arg0, %arg0 {k_layout = "bthd", out_layout = "bthd", q_layout = "bthd", v_layout = "bthd"} : {{.*}} -> (tensor<?x?x4x8xf32>,
// CHECK-NOT: linalg.transpose
// CHECK: %[[T:.*]] = tensor.dim %[[O]], %c1
// CHECK: return %[[O]], %[[T]]
func.func @around_attention(%x: tensor<?x?x4x8xf32> {xf.dims = ["B", "T", "4", "8"]}) -> (tensor<?x?x4x8xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x4x8xf32>
  %t = tensor.dim %x, %c1 : tensor<?x?x4x8xf32>
  %e = tensor.empty(%b, %t) : tensor<?x4x?x8xf32>
  %q = linalg.transpose ins(%x : tensor<?x?x4x8xf32>) outs(%e : tensor<?x4x?x8xf32>) permutation = [0, 2, 1, 3]
  %o, %l = xf.attention %q, %q, %q : (tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>) -> (tensor<?x4x?x8xf32>, tensor<?x4x?xf32>)
  %n = tensor.dim %o, %c2 : tensor<?x4x?x8xf32>
  %f = tensor.empty(%b, %n) : tensor<?x?x4x8xf32>
  %y = linalg.transpose ins(%o : tensor<?x4x?x8xf32>) outs(%f : tensor<?x?x4x8xf32>) permutation = [0, 2, 1, 3]
  return %y, %n : tensor<?x?x4x8xf32>, index
}

// Another reader, or another permutation, keeps the transpose.
// CHECK-LABEL: func.func @kept
// CHECK: xf.attention %arg0, %arg0, %arg0 : {{.*}} -> (tensor<2x2x2x2xf32>,
// CHECK: linalg.transpose
// CHECK: xf.attention
// CHECK: linalg.transpose {{.*}} permutation = [0, 2, 3, 1]
func.func @kept(%x: tensor<2x2x2x2xf32>) -> (tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) {
  %e = tensor.empty() : tensor<2x2x2x2xf32>
  %o, %l = xf.attention %x, %x, %x : (tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> (tensor<2x2x2x2xf32>, tensor<2x2x2xf32>)
  %y = linalg.transpose ins(%o : tensor<2x2x2x2xf32>) outs(%e : tensor<2x2x2x2xf32>) permutation = [0, 2, 1, 3]
  %p, %m = xf.attention %y, %x, %x {q_layout = "bthd"} : (tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> (tensor<2x2x2x2xf32>, tensor<2x2x2xf32>)
  %z = linalg.transpose ins(%p : tensor<2x2x2x2xf32>) outs(%e : tensor<2x2x2x2xf32>) permutation = [0, 2, 3, 1]
  return %o, %y, %z : tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>
}

// CHECK-LABEL: func.func @appended
// CHECK: xf.cache_append %arg0, %arg1 {fresh_layout = "bthd"}
func.func @appended(%c: tensor<2x4x16x8xf32>, %x: tensor<2x3x4x8xf32>) -> tensor<2x4x16x8xf32> {
  %e = tensor.empty() : tensor<2x4x3x8xf32>
  %t = linalg.transpose ins(%x : tensor<2x3x4x8xf32>) outs(%e : tensor<2x4x3x8xf32>) permutation = [0, 2, 1, 3]
  %y = xf.cache_append %c, %t : (tensor<2x4x16x8xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x16x8xf32>
  return %y : tensor<2x4x16x8xf32>
}
