// RUN: dragoman-opt %s --plan-form-kernels --split-input-file | FileCheck %s
// RUN: dragoman-opt %s --plan-form-kernels --plan-assign-slots --split-input-file | FileCheck %s --check-prefix=SLOTS

#id = affine_map<(i, j) -> (i, j)>

// A loop over blocks of rows: blocks are read and written where they lie, the
// sum stands behind the product in the memory of the loop's value, and kernels
// know the size of a block, not the loop.
// CHECK-LABEL: plan.kernel @matmul(
// CHECK-SAME: xf.dims = ["n0", "4"]
// CHECK-SAME: dims = ["n0"]
// CHECK-LABEL: plan.kernel @matmul_0(
// CHECK-SAME: -> (tensor<4x8xf32> {plan.alias = 2 : i64,
// CHECK: xf.matmul
// CHECK: linalg.generic
// CHECK-LABEL: plan.entry @blocks
// CHECK: %[[SUM:.*]] = plan.dispatch @elementwise
// CHECK: plan.loop "loop0" trips "ceildiv(N,16)" inits(%{{.*}}, %[[SUM]])
// CHECK: ^bb0(%[[I:.*]]: index, %[[Y:.*]]: tensor<?x8xf32>, %[[M:.*]]: tensor<4x8xf32>):
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %arg0[
// CHECK: %[[P:.*]] = plan.dispatch @matmul(%[[ROWS]], %arg1) dims ["min(N - 16*loop0,16)"]
// CHECK: %[[INTO:.*]] = tensor.insert_slice %[[P]] into %[[Y]][
// CHECK: %[[NEXT:.*]] = plan.dispatch @matmul_0(%[[ROWS]], %[[P]], %[[M]]) dims ["min(N - 16*loop0,16)"]
// CHECK: plan.next %[[INTO]], %[[NEXT]]
// SLOTS-LABEL: plan.entry @blocks
// SLOTS-SAME: arena = "0"
// SLOTS: plan.fill %[[Y:.*]], 0
// SLOTS-NEXT: plan.loop "loop0" trips "ceildiv(N,16)"
// SLOTS-NEXT: %[[ROWS:.*]] = plan.part %{{.*}} {bytes = "16*min(N - 16*loop0,16)", offset = "256*loop0"}
// SLOTS-NEXT: %[[PART:.*]] = plan.part %[[Y]] {bytes = "32*min(N - 16*loop0,16)", offset = "512*loop0"}
// SLOTS-NEXT: plan.dispatch @matmul(%[[ROWS]], %{{.*}}, %[[PART]])
// SLOTS-NEXT: plan.dispatch @matmul_0(%[[ROWS]], %[[PART]], %{{.*}})
// SLOTS-NEXT: plan.next
func.func @blocks(%x: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %w: tensor<4x8xf32>) -> (tensor<?x8xf32> {xf.name = "y"}, tensor<4x8xf32> {xf.name = "m"}) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %y = tensor.empty(%n) : tensor<?x8xf32>
  %me = tensor.empty() : tensor<4x8xf32>
  %m = linalg.fill ins(%zero : f32) outs(%me : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c16 iter_args(%ya = %y, %ma = %m) -> (tensor<?x8xf32>, tensor<4x8xf32>) {
    %left = arith.subi %n, %i : index
    %count = arith.minsi %left, %c16 : index
    %rows = tensor.extract_slice %x[%i, 0] [%count, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
    %p = xf.matmul %rows, %w : (tensor<?x4xf32>, tensor<4x8xf32>) -> tensor<?x8xf32>
    %yb = tensor.insert_slice %p into %ya[%i, 0] [%count, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    %q = xf.matmul %rows, %p {transpose_a} : (tensor<?x4xf32>, tensor<?x8xf32>) -> tensor<4x8xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%ma, %q : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %1 = arith.addf %a, %c : f32
      linalg.yield %1 : f32
    } -> tensor<4x8xf32>
    scf.yield %yb, %s : tensor<?x8xf32>, tensor<4x8xf32>
  }
  return %r#0, %r#1 : tensor<?x8xf32>, tensor<4x8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
plan.state @p : tensor<40xf32> {dims = ["40"], append_axis = 0 : i64}

// A parameter is a view of the flat state; the vectors that are joined stay
// apart; a sum into a state is in place, whatever else is summed.
// CHECK-LABEL: plan.kernel @elementwise(
// CHECK-LABEL: plan.kernel @softmax(
// CHECK-LABEL: plan.kernel @elementwise_0(
// CHECK-SAME: -> (tensor<40xf32> {plan.alias = 0 : i64,
// CHECK-LABEL: plan.entry @flat
// CHECK: %[[V:.*]] = tensor.extract_slice %arg0[3] [16] [1]
// CHECK: %[[A:.*]] = plan.dispatch @elementwise(%[[V]])
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[A]]
// CHECK: %[[B:.*]] = plan.dispatch @softmax(%arg1)
// CHECK: %[[JOIN:.*]] = tensor.concat dim(0) %[[C]], %[[B]]
// CHECK: plan.dispatch @elementwise_0(%arg0, %[[JOIN]])
// SLOTS-LABEL: plan.entry @flat
// SLOTS-SAME: arena = "192"
// SLOTS: %[[P:.*]] = plan.slot "state"
// SLOTS: %[[V:.*]] = plan.part %[[P]] {bytes = "64", offset = "12"}
// SLOTS: %[[JOIN:.*]] = plan.slot "arena" {bytes = "160", offset = "0"}
// SLOTS: %[[A:.*]] = plan.part %[[JOIN]] {bytes = "64", offset = "0"}
// SLOTS: %[[B:.*]] = plan.part %[[JOIN]] {bytes = "96", offset = "64"}
// SLOTS: plan.dispatch @elementwise(%[[V]], %[[A]])
// SLOTS: plan.dispatch @softmax(%{{.*}}, %[[B]])
// SLOTS: plan.dispatch @elementwise_0(%[[P]], %[[JOIN]])
// SLOTS-NEXT: plan.return
func.func @flat(%p: tensor<40xf32> {plan.state = @p}, %x: tensor<24xf32>) -> (tensor<40xf32> {plan.state = @p}) {
  %v = tensor.extract_slice %p[3] [16] [1] : tensor<40xf32> to tensor<16xf32>
  %m = tensor.expand_shape %v [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  %s = xf.silu %m : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = tensor.collapse_shape %s [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %g = xf.softmax %x : (tensor<24xf32>) -> tensor<24xf32>
  %j = tensor.concat dim(0) %f, %g : (tensor<16xf32>, tensor<24xf32>) -> tensor<40xf32>
  %e = tensor.empty() : tensor<40xf32>
  %n = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%p, %j : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<40xf32>
  return %n : tensor<40xf32>
}

// -----

plan.state @g : tensor<40xf32> {dims = ["40"], append_axis = 0 : i64}

// A state that is filled is filled where it lies.
// CHECK-LABEL: plan.kernel @elementwise(
// CHECK-SAME: -> (tensor<40xf32> {plan.alias = 0 : i64,
// CHECK-LABEL: plan.entry @filled
// SLOTS-LABEL: plan.entry @filled
// SLOTS-NEXT: %[[G:.*]] = plan.slot "state"
// SLOTS-NEXT: plan.dispatch @elementwise(%[[G]])
// SLOTS-NEXT: plan.return
func.func @filled(%g: tensor<40xf32> {plan.state = @g}) -> (tensor<40xf32> {plan.state = @g}) {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%g : tensor<40xf32>) -> tensor<40xf32>
  return %n : tensor<40xf32>
}
