// RUN: dragoman-opt %s --plan-form-kernels --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
plan.weight @w : tensor<8x16xf32> {source = #plan.normal<1, 0.25>}
plan.weight @g : tensor<8xf32> {source = #plan.normal<2, 0.25>}

// A residual sum that only a norm reads is pulled into the norm.
// CHECK-LABEL: plan.kernel @linear(
// CHECK-NEXT: xf.linear
// CHECK-NEXT: plan.yield
// CHECK-LABEL: plan.kernel @layer_norm(
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: xf.layer_norm %[[SUM]] gain
// CHECK-LABEL: plan.entry @sum_into_norm
// CHECK-SAME: dims = ["B"]
// CHECK: %[[Y:.*]] = plan.dispatch @linear(%arg0, %{{.*}}) dims ["B"]
// CHECK: plan.dispatch @layer_norm(%[[Y]], %arg1, %{{.*}}) dims ["B"]
func.func @sum_into_norm(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}, %r: tensor<?x8xf32> {xf.dims = ["B", "8"]}) -> (tensor<?x8xf32> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %w = plan.load @w : tensor<8x16xf32>
  %g = plan.load @g : tensor<8xf32>
  %y = xf.linear %x, %w : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %b = tensor.dim %y, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%b) : tensor<?x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %r : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  %n = xf.layer_norm %s gain %g {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %n : tensor<?x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
plan.weight @w : tensor<8x16xf32> {source = #plan.normal<1, 0.25>}

// A residual sum with a second reader stands behind the contraction.
// CHECK-LABEL: plan.kernel @linear(
// CHECK: %[[Y:.*]] = xf.linear
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %{{.*}} :
// CHECK-LABEL: plan.kernel @layer_norm(
// CHECK-NOT: linalg.generic
// CHECK-LABEL: plan.entry @sum_behind_linear
// CHECK: %[[S:.*]] = plan.dispatch @linear(
// CHECK: %[[N:.*]] = plan.dispatch @layer_norm(%[[S]])
// CHECK: plan.return %[[S]], %[[N]]
func.func @sum_behind_linear(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}, %r: tensor<?x8xf32> {xf.dims = ["B", "8"]}) -> (tensor<?x8xf32> {xf.name = "s"}, tensor<?x8xf32> {xf.name = "n"}) {
  %c0 = arith.constant 0 : index
  %w = plan.load @w : tensor<8x16xf32>
  %y = xf.linear %x, %w : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %b = tensor.dim %y, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%b) : tensor<?x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %r : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  %n = xf.layer_norm %s {eps = 1.0e-5 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %s, %n : tensor<?x8xf32>, tensor<?x8xf32>
}

// -----

// Slices and views are read in place by attention, and the view behind it is
// part of how it writes.
// CHECK-LABEL: plan.kernel @attention(
// CHECK-SAME: %arg0: tensor<?x?x96xf32>
// CHECK-SAME: -> (tensor<?x?x32xf32> {xf.dims = ["B", "S", "32"]})
// CHECK-COUNT-3: tensor.extract_slice %arg0
// CHECK: xf.attention
// CHECK: tensor.collapse_shape
// CHECK-LABEL: plan.entry @attention_reads_slices
// CHECK-NEXT: plan.dispatch @attention(%arg0) dims ["B", "S"]
// CHECK-NEXT: plan.return
func.func @attention_reads_slices(%x: tensor<?x?x96xf32> {xf.dims = ["B", "S", "96"]}) -> (tensor<?x?x32xf32> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x96xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x96xf32>
  %0 = tensor.extract_slice %x[0, 0, 0] [%b, %s, 32] [1, 1, 1] : tensor<?x?x96xf32> to tensor<?x?x32xf32>
  %1 = tensor.extract_slice %x[0, 0, 32] [%b, %s, 32] [1, 1, 1] : tensor<?x?x96xf32> to tensor<?x?x32xf32>
  %2 = tensor.extract_slice %x[0, 0, 64] [%b, %s, 32] [1, 1, 1] : tensor<?x?x96xf32> to tensor<?x?x32xf32>
  %q = tensor.expand_shape %0 [[0], [1], [2, 3]] output_shape [%b, %s, 2, 16] : tensor<?x?x32xf32> into tensor<?x?x2x16xf32>
  %k = tensor.expand_shape %1 [[0], [1], [2, 3]] output_shape [%b, %s, 2, 16] : tensor<?x?x32xf32> into tensor<?x?x2x16xf32>
  %v = tensor.expand_shape %2 [[0], [1], [2, 3]] output_shape [%b, %s, 2, 16] : tensor<?x?x32xf32> into tensor<?x?x2x16xf32>
  %o, %l = xf.attention %q, %k, %v {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x2x16xf32>, tensor<?x?x2x16xf32>, tensor<?x?x2x16xf32>) -> (tensor<?x?x2x16xf32>, tensor<?x2x?xf32>)
  %y = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<?x?x2x16xf32> into tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

// -----

plan.state @cache : tensor<?x2x?x16xf32> {dims = ["Rows", "2", "Cap", "16"]}

// An update of a state is a kernel of its own, in place.
// CHECK-LABEL: plan.kernel @cache_append(
// CHECK-SAME: -> (tensor<?x2x?x16xf32> {plan.alias = 0 : i64,
// CHECK-LABEL: plan.entry @state_update
// CHECK: plan.dispatch @cache_append(%arg1, %arg0) dims ["Rows", "Cap", "B", "T"]
func.func @state_update(%x: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "T", "16"]}, %c: tensor<?x2x?x16xf32> {xf.dims = ["Rows", "2", "Cap", "16"], plan.state = @cache}) -> (tensor<?x2x?x16xf32> {plan.state = @cache}) {
  %0 = xf.cache_append %c, %x : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> tensor<?x2x?x16xf32>
  return %0 : tensor<?x2x?x16xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A size that no operand has comes with an argument of the entry.
// CHECK-LABEL: plan.kernel @elementwise(
// CHECK-SAME: %arg0: tensor<?xi64> {xf.dims = ["R"]}, %arg1: tensor<?x?xi64> {xf.dims = ["R", "T"]}
// CHECK: tensor.dim %arg1, %c1
// CHECK-LABEL: plan.entry @size_operand
// CHECK: plan.dispatch @elementwise(%arg1, %arg0) dims ["R", "T"]
func.func @size_operand(%ids: tensor<?x?xi64> {xf.dims = ["R", "T"]}, %at: tensor<?xi64> {xf.dims = ["R"]}) -> (tensor<?xi64> {xf.name = "count"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.dim %ids, %c1 : tensor<?x?xi64>
  %n = arith.index_cast %t : index to i64
  %r = tensor.dim %at, %c0 : tensor<?xi64>
  %e = tensor.empty(%r) : tensor<?xi64>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%at : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%a: i64, %o: i64):
    %1 = arith.addi %a, %n : i64
    linalg.yield %1 : i64
  } -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Work that a broadcast would repeat is done once.
// CHECK-LABEL: plan.kernel @elementwise(
// CHECK: math.exp
// CHECK-LABEL: plan.kernel @elementwise_0(
// CHECK-NOT: math.exp
// CHECK-LABEL: plan.entry @broadcast_of_exp
func.func @broadcast_of_exp(%x: tensor<?xf32> {xf.dims = ["B"]}, %y: tensor<?x8xf32> {xf.dims = ["B", "8"]}) -> (tensor<?x8xf32> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%b) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %f = tensor.empty(%b) : tensor<?x8xf32>
  %2 = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %y : tensor<?xf32>, tensor<?x8xf32>) outs(%f : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.mulf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (0, d1)>
plan.weight @w : tensor<8x16xf32> {source = #plan.normal<1, 0.25>}
plan.weight @b : tensor<1x8xf32> {source = #plan.normal<2, 0.25>}

// A vector along the columns and an activation go behind the contraction too.
// CHECK-LABEL: plan.kernel @linear(
// CHECK: xf.linear
// CHECK: linalg.generic
// CHECK: xf.gelu
// CHECK-NOT: plan.kernel
// CHECK-LABEL: plan.entry @columns_behind_linear
func.func @columns_behind_linear(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}) -> (tensor<?x8xf32> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %w = plan.load @w : tensor<8x16xf32>
  %v = plan.load @b : tensor<1x8xf32>
  %y = xf.linear %x, %w : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %b = tensor.dim %y, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%b) : tensor<?x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %v : tensor<?x8xf32>, tensor<1x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<?x8xf32>
  %g = xf.gelu %s : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return %g : tensor<?x8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
plan.weight @w : tensor<8x8xf32> {source = #plan.normal<1, 0.25>}

// The product itself must be read element by element.
// CHECK-LABEL: plan.kernel @linear(
// CHECK-NOT: linalg.generic
// CHECK-LABEL: plan.kernel @elementwise(
// CHECK: linalg.generic
// CHECK-LABEL: plan.entry @transposed_behind_linear
func.func @transposed_behind_linear(%x: tensor<8x8xf32> {xf.dims = ["8", "8"]}) -> (tensor<8x8xf32> {xf.name = "y"}) {
  %w = plan.load @w : tensor<8x8xf32>
  %y = xf.linear %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %s = linalg.generic {indexing_maps = [#id, #swap, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = arith.addf %a, %c : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}

// -----

// Static sizes need no names.
// CHECK-LABEL: plan.entry @static
// CHECK-SAME: %arg0: tensor<3x4xf32> {xf.dims = ["3", "4"]}
// CHECK-SAME: dims = []
func.func @static(%x: tensor<3x4xf32>) -> (tensor<3x4xf32> {xf.name = "y"}) {
  %y = xf.softmax %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// A slice with several readers is read in place by each that can; it is copied
// only where it must exist.
// CHECK-LABEL: plan.kernel @elementwise(
// CHECK-COUNT-1: tensor.extract_slice
// CHECK-LABEL: plan.kernel @attention(
// CHECK: tensor.extract_slice
// CHECK-LABEL: plan.entry @shared_slice
// CHECK: %[[COPY:.*]] = plan.dispatch @elementwise(%arg0)
// CHECK: plan.dispatch @attention(%arg0)
// CHECK: plan.return %{{.*}}, %[[COPY]]
func.func @shared_slice(%x: tensor<2x4x3x8xf32>) -> (tensor<2x2x3x4xf32> {xf.name = "y"}, tensor<2x2x3x4xf32> {xf.name = "part"}) {
  %s = tensor.extract_slice %x[0, 1, 0, 2] [2, 2, 3, 4] [1, 1, 1, 1] : tensor<2x4x3x8xf32> to tensor<2x2x3x4xf32>
  %o, %l = xf.attention %s, %s, %s : (tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>)
  return %o, %s : tensor<2x2x3x4xf32>, tensor<2x2x3x4xf32>
}

// -----

plan.weight @w : tensor<8x16xf32> {source = #plan.normal<1, 0.25>}

// Dropout goes behind the contraction; its keys are arguments.
// CHECK-LABEL: plan.kernel @linear(
// CHECK: %[[Y:.*]] = xf.linear
// CHECK-NEXT: %[[D:.*]] = xf.dropout %[[Y]] seed %arg2 row_key %arg3
// CHECK-NEXT: arith.addf %[[D]], %arg4
// CHECK-LABEL: plan.entry @dropout_behind_linear
// CHECK-COUNT-1: plan.dispatch
// CHECK-NOT: plan.dispatch
func.func @dropout_behind_linear(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}, %r: tensor<?x8xf32> {xf.dims = ["B", "8"]}, %s: tensor<i64> {xf.dims = []}, %k: tensor<?xi64> {xf.dims = ["B"]}) -> (tensor<?x8xf32> {xf.name = "y"}) {
  %w = plan.load @w : tensor<8x16xf32>
  %y = xf.linear %x, %w : (tensor<?x16xf32>, tensor<8x16xf32>) -> tensor<?x8xf32>
  %d = xf.dropout %y seed %s row_key %k {p = 0.1, site = 3} : (tensor<?x8xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x8xf32>
  %z = arith.addf %d, %r : tensor<?x8xf32>
  return %z : tensor<?x8xf32>
}

// -----

// What a sum reads, and its start, are computed inside it.
// CHECK-LABEL: plan.kernel @reduce(
// CHECK: arith.mulf %arg0, %arg1
// CHECK: linalg.reduce
// CHECK-LABEL: plan.entry @sum_of_products
// CHECK-COUNT-1: plan.dispatch
// CHECK-NOT: plan.dispatch
func.func @sum_of_products(%x: tensor<?x8xf32> {xf.dims = ["B", "8"]}, %y: tensor<?x8xf32> {xf.dims = ["B", "8"]}) -> (tensor<8xf32> {xf.name = "s"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %p = arith.mulf %x, %y : tensor<?x8xf32>
  %s = linalg.reduce ins(%p : tensor<?x8xf32>) outs(%f : tensor<8xf32>) dimensions = [0] (%a: f32, %b: f32) {
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  return %s : tensor<8xf32>
}

// -----

// Both the gradient and the row of a norm's gradient are pulled; its statistics
// leave with it.
// CHECK-LABEL: plan.kernel @layer_norm_grad(
// CHECK: %[[D:.*]] = arith.addf %arg0, %arg1
// CHECK: %[[X:.*]] = arith.mulf %arg0, %arg1
// CHECK: xf.layer_norm_grad %[[D]], %[[X]]
// CHECK-LABEL: plan.entry @sum_into_norm_gradient
// CHECK-COUNT-1: plan.dispatch
// CHECK-NOT: plan.dispatch
func.func @sum_into_norm_gradient(%a: tensor<?x8xf32> {xf.dims = ["B", "8"]}, %b: tensor<?x8xf32> {xf.dims = ["B", "8"]}) -> (tensor<?x8xf32> {xf.name = "dx"}, tensor<?xf32> {xf.name = "r"}) {
  %dy = arith.addf %a, %b : tensor<?x8xf32>
  %x = arith.mulf %a, %b : tensor<?x8xf32>
  %dx, %m, %r = xf.layer_norm_grad %dy, %x {eps = 1.0e-5 : f64} : (tensor<?x8xf32>, tensor<?x8xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<?xf32>)
  return %dx, %r : tensor<?x8xf32>, tensor<?xf32>
}
