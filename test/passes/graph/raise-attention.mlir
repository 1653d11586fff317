// RUN: dragoman-opt %s -xf-raise-attention -cse -canonicalize | FileCheck %s

#id2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// Heads folded into the batch, a factor on the query below its reshape, the
// mask added to the scores: one op on the [B,T,H,D] views.
// CHECK-LABEL: func.func @folded_heads
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[K:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[V:[a-z0-9]+]]: tensor<?x?x8xf32>, %[[M:[a-z0-9]+]]: tensor<?x1x?x?xf32>
// CHECK-DAG: %[[Q4:.*]] = tensor.expand_shape %[[Q]]
// CHECK-DAG: %[[K4:.*]] = tensor.expand_shape %[[K]]
// CHECK-DAG: %[[V4:.*]] = tensor.expand_shape %[[V]]
// CHECK: %[[O:.*]], %{{.*}} = xf.attention %[[Q4]], %[[K4]], %[[V4]] bias %[[M]] {k_layout = "bthd", out_layout = "bthd", q_layout = "bthd", scale = 5.000000e-01 : f64, v_layout = "bthd"}
// CHECK-NEXT: %[[R:.*]] = tensor.collapse_shape %[[O]]
// CHECK-NEXT: return %[[R]]
func.func @folded_heads(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x8xf32>, %mask: tensor<?x1x?x?xf32>, %b: index, %t: index, %bh: index) -> tensor<?x?x8xf32> {
  %e3 = tensor.empty(%b, %t) : tensor<?x?x8xf32>
  %e4 = tensor.empty(%b, %t) : tensor<?x2x?x4xf32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %qs = linalg.generic {indexing_maps = [#id2, affine_map<(d0, d1, d2) -> ()>, #id2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q, %half : tensor<?x?x8xf32>, tensor<f32>) outs(%e3 : tensor<?x?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x?x8xf32>
  %q4 = tensor.expand_shape %qs [[0], [1], [2, 3]] output_shape [%b, %t, 2, 4] : tensor<?x?x8xf32> into tensor<?x?x2x4xf32>
  %k4 = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [%b, %t, 2, 4] : tensor<?x?x8xf32> into tensor<?x?x2x4xf32>
  %v4 = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [%b, %t, 2, 4] : tensor<?x?x8xf32> into tensor<?x?x2x4xf32>
  %qt = linalg.transpose ins(%q4 : tensor<?x?x2x4xf32>) outs(%e4 : tensor<?x2x?x4xf32>) permutation = [0, 2, 1, 3]
  %kt = linalg.transpose ins(%k4 : tensor<?x?x2x4xf32>) outs(%e4 : tensor<?x2x?x4xf32>) permutation = [0, 2, 1, 3]
  %vt = linalg.transpose ins(%v4 : tensor<?x?x2x4xf32>) outs(%e4 : tensor<?x2x?x4xf32>) permutation = [0, 2, 1, 3]
  %q3 = tensor.collapse_shape %qt [[0, 1], [2], [3]] : tensor<?x2x?x4xf32> into tensor<?x?x4xf32>
  %k3 = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<?x2x?x4xf32> into tensor<?x?x4xf32>
  %v3 = tensor.collapse_shape %vt [[0, 1], [2], [3]] : tensor<?x2x?x4xf32> into tensor<?x?x4xf32>
  %ek = tensor.empty(%bh, %t) : tensor<?x4x?xf32>
  %kT = linalg.transpose ins(%k3 : tensor<?x?x4xf32>) outs(%ek : tensor<?x4x?xf32>) permutation = [0, 2, 1]
  %s3 = xf.matmul %q3, %kT : (tensor<?x?x4xf32>, tensor<?x4x?xf32>) -> tensor<?x?x?xf32>
  %s4 = tensor.expand_shape %s3 [[0, 1], [2], [3]] output_shape [%b, 2, %t, %t] : tensor<?x?x?xf32> into tensor<?x2x?x?xf32>
  %es = tensor.empty(%b, %t, %t) : tensor<?x2x?x?xf32>
  %sm = linalg.generic {indexing_maps = [#id4, affine_map<(d0, d1, d2, d3) -> (d0, 0, d2, d3)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s4, %mask : tensor<?x2x?x?xf32>, tensor<?x1x?x?xf32>) outs(%es : tensor<?x2x?x?xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x2x?x?xf32>
  %sf = tensor.collapse_shape %sm [[0, 1], [2], [3]] : tensor<?x2x?x?xf32> into tensor<?x?x?xf32>
  %p = xf.softmax %sf : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %o3 = xf.matmul %p, %v3 : (tensor<?x?x?xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %o4 = tensor.expand_shape %o3 [[0, 1], [2], [3]] output_shape [%b, 2, %t, 4] : tensor<?x?x4xf32> into tensor<?x2x?x4xf32>
  %eo = tensor.empty(%b, %t) : tensor<?x?x2x4xf32>
  %ot = linalg.transpose ins(%o4 : tensor<?x2x?x4xf32>) outs(%eo : tensor<?x?x2x4xf32>) permutation = [0, 2, 1, 3]
  %y = tensor.collapse_shape %ot [[0], [1], [2, 3]] : tensor<?x?x2x4xf32> into tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}
