// RUN: dragoman-opt %s --plan-form-kernels --split-input-file | FileCheck %s
// RUN: not dragoman-opt %s --plan-form-kernels --plan-assign-slots 2>&1 | FileCheck %s --check-prefix=REFUSED

#id = affine_map<(i) -> (i)>
#reverse = affine_map<(i) -> (39 - i)>
plan.state @p : tensor<40xf32> {dims = ["40"], append_axis = 0 : i64}

// An element that depends on another element of the old value cannot be written
// in its place, and the state is not copied.
// REFUSED: expected result 0 to be state @p updated in place, found a value that would have to be copied into it
// CHECK-LABEL: plan.kernel @elementwise(
// CHECK-NOT: plan.alias
// CHECK-LABEL: plan.entry @not_elementwise
func.func @not_elementwise(%p: tensor<40xf32> {plan.state = @p}) -> (tensor<40xf32> {plan.state = @p}) {
  %e = tensor.empty() : tensor<40xf32>
  %n = linalg.generic {indexing_maps = [#reverse, #id, #id], iterator_types = ["parallel"]} ins(%p, %p : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<40xf32>
  return %n : tensor<40xf32>
}
