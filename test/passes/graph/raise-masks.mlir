// RUN: dragoman-opt %s -xf-raise-masks -cse -canonicalize | FileCheck %s

#id = affine_map<(b, h, i, j) -> (b, h, i, j)>
!q = tensor<?x2x?x4xf32>

// A causal mask in float, and the padding of each row: both become predicates.
// CHECK-LABEL: func.func @causal_and_padding
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>{{.*}}, %[[N:[a-z0-9]+]]: tensor<?xi64>
// CHECK-NOT: linalg.generic
// CHECK: xf.attention %[[Q]], %[[Q]], %[[Q]] key_count %[[N]] {causal}
func.func @causal_and_padding(%q: !q {xf.dims = ["B", "2", "T", "4"]}, %n: tensor<?xi64> {xf.dims = ["B"]}) -> !q {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : !q
  %t = tensor.dim %q, %c2 : !q
  %e = tensor.empty(%b, %t, %t) : tensor<?x1x?x?xf32>
  %causal = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x1x?x?xf32>) {
  ^bb0(%o: f32):
    %zero = arith.constant 0.0 : f32
    %low = arith.constant -3.40282347E+38 : f32
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %i1 = arith.index_cast %i : index to i64
    %j1 = arith.index_cast %j : index to i64
    %one = arith.constant 1 : i64
    %i2 = arith.addi %i1, %one : i64
    %c = arith.cmpi slt, %j1, %i2 : i64
    %r = arith.select %c, %zero, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x1x?x?xf32>
  // 1 - float(j < n[b]), then the lowest float where that is not zero.
  %pad = linalg.generic {indexing_maps = [affine_map<(b, h, i, j) -> (b)>, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%n : tensor<?xi64>) outs(%e : tensor<?x1x?x?xf32>) {
  ^bb0(%len: i64, %o: f32):
    %zero = arith.constant 0.0 : f32
    %onef = arith.constant 1.0 : f32
    %low = arith.constant -3.40282347E+38 : f32
    %j = linalg.index 3 : index
    %j1 = arith.index_cast %j : index to i64
    %c = arith.cmpi slt, %j1, %len : i64
    %m = arith.uitofp %c : i1 to f32
    %inv = arith.subf %onef, %m : f32
    %hide = arith.cmpf une, %inv, %zero : f32
    %r = arith.select %hide, %low, %inv : f32
    linalg.yield %r : f32
  } -> tensor<?x1x?x?xf32>
  %mask = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%causal, %pad : tensor<?x1x?x?xf32>, tensor<?x1x?x?xf32>) outs(%e : tensor<?x1x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?x1x?x?xf32>
  %out, %lse = xf.attention %q, %q, %q bias %mask : (!q, !q, !q, tensor<?x1x?x?xf32>) -> (!q, tensor<?x2x?xf32>)
  return %out : !q
}

// Zeros for the cached keys in front of a triangle: one causal predicate, offset
// by the number of cached keys.
// CHECK-LABEL: func.func @past
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>{{.*}}, %[[K:[a-z0-9]+]]: tensor<?x2x?x4xf32>{{.*}}, %[[PAST:[a-z0-9]+]]: tensor<?x2x?x4xf32>
// CHECK: %[[D:.*]] = tensor.dim %[[PAST]], %{{.*}}
// CHECK: %[[I:.*]] = arith.index_cast %[[D]] : index to i64
// CHECK: %[[O:.*]] = tensor.from_elements %[[I]] : tensor<i64>
// CHECK: xf.attention %[[Q]], %[[K]], %[[K]] offset %[[O]] {causal}
func.func @past(%q: !q {xf.dims = ["B", "2", "T", "4"]}, %k: !q {xf.dims = ["B", "2", "P+T", "4"]}, %past: !q {xf.dims = ["B", "2", "P", "4"]}) -> !q {
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %p = tensor.dim %past, %c2 : !q
  %t = tensor.dim %q, %c2 : !q
  %ep = tensor.empty(%t, %p) : tensor<?x?xf32>
  %left = linalg.fill ins(%zero : f32) outs(%ep : tensor<?x?xf32>) -> tensor<?x?xf32>
  %et = tensor.empty(%t, %t) : tensor<?x?xf32>
  %right = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%et : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %z = arith.constant 0.0 : f32
    %low = arith.constant -3.40282347E+38 : f32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sle, %j, %i : index
    %r = arith.select %c, %z, %low : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %m = tensor.concat dim(1) %left, %right : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = arith.addi %p, %t : index
  %m4 = tensor.expand_shape %m [[0, 1, 2], [3]] output_shape [1, 1, %t, %s] : tensor<?x?xf32> into tensor<1x1x?x?xf32>
  %out, %lse = xf.attention %q, %k, %k bias %m4 : (!q, !q, !q, tensor<1x1x?x?xf32>) -> (!q, tensor<?x2x?xf32>)
  return %out : !q
}

// A bias that is no predicate stays.
// CHECK-LABEL: func.func @bias
// CHECK: xf.attention %{{.*}} bias %{{.*}} :
func.func @bias(%q: !q {xf.dims = ["B", "2", "T", "4"]}, %b: tensor<1x2x?x?xf32> {xf.dims = ["1", "2", "T", "T"]}) -> !q {
  %out, %lse = xf.attention %q, %q, %q bias %b : (!q, !q, !q, tensor<1x2x?x?xf32>) -> (!q, tensor<?x2x?xf32>)
  return %out : !q
}
