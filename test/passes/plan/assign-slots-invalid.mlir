// RUN: dragoman-opt %s --plan-assign-slots --split-input-file --verify-diagnostics

plan.state @cache : tensor<4x8xf32> {dims = ["4", "8"], append_axis = 1 : i64}
plan.kernel @update(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {plan.alias = 0 : i64, xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
plan.kernel @read(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
plan.entry @read_after_update(%c: tensor<4x8xf32> {xf.dims = ["4", "8"], plan.state = @cache}) -> (tensor<4x8xf32> {plan.state = @cache}, tensor<4x8xf32> {xf.name = "y", xf.dims = ["4", "8"]}) attributes {dims = []} {
  // expected-error @+1 {{expected state @cache not to be read after its update: it would have to be copied}}
  %0 = plan.dispatch @update(%c) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-note @+1 {{read here}}
  %1 = plan.dispatch @read(%c) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

plan.state @cache : tensor<4x8xf32> {dims = ["4", "8"], append_axis = 1 : i64}
plan.kernel @read(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
// expected-error @+1 {{expected result 0 to be state @cache updated in place, found a value that would have to be copied into it}}
plan.entry @fresh_value(%c: tensor<4x8xf32> {xf.dims = ["4", "8"], plan.state = @cache}) -> (tensor<4x8xf32> {plan.state = @cache}) attributes {dims = []} {
  %0 = plan.dispatch @read(%c) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.return %0 : tensor<4x8xf32>
}

// -----

plan.kernel @update(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {plan.alias = 0 : i64, xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
plan.entry @update_of_input(%c: tensor<4x8xf32> {xf.dims = ["4", "8"], xf.name = "x"}) -> (tensor<4x8xf32> {xf.name = "y", xf.dims = ["4", "8"]}) attributes {dims = []} {
  // expected-error @+1 {{expected argument 0 not to be an input or a weight, since the kernel updates it in place}}
  %0 = plan.dispatch @update(%c) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.return %0 : tensor<4x8xf32>
}

// -----

plan.state @cache : tensor<4x8xf32> {dims = ["4", "8"], append_axis = 1 : i64}
plan.kernel @update(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {plan.alias = 0 : i64, xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
plan.kernel @read(%c: tensor<32xf32> {xf.dims = ["32"]}) -> (tensor<32xf32> {xf.dims = ["32"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<32xf32>) -> tensor<32xf32>
  plan.yield %y : tensor<32xf32>
}
plan.entry @read_by_view(%c: tensor<2x2x8xf32> {xf.dims = ["2", "2", "8"], plan.state = @cache}) -> (tensor<4x8xf32> {plan.state = @cache}, tensor<32xf32> {xf.name = "y", xf.dims = ["32"]}) attributes {dims = []} {
  %0 = tensor.collapse_shape %c [[0, 1], [2]] : tensor<2x2x8xf32> into tensor<4x8xf32>
  %1 = tensor.collapse_shape %c [[0, 1, 2]] : tensor<2x2x8xf32> into tensor<32xf32>
  // expected-error @+1 {{expected state @cache not to be read after its update: it would have to be copied}}
  %2 = plan.dispatch @update(%0) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-note @+1 {{read here}}
  %3 = plan.dispatch @read(%1) dims [] : (tensor<32xf32>) -> tensor<32xf32>
  plan.return %2, %3 : tensor<4x8xf32>, tensor<32xf32>
}

// -----

plan.state @cache : tensor<4x8xf32> {dims = ["4", "8"], append_axis = 1 : i64}
plan.kernel @update(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {plan.alias = 0 : i64, xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
plan.entry @not_returned(%c: tensor<4x8xf32> {xf.dims = ["4", "8"], plan.state = @cache}) -> (tensor<4x8xf32> {xf.name = "y", xf.dims = ["4", "8"]}) attributes {dims = []} {
  // expected-error @+1 {{expected state @cache to be returned after its update}}
  %0 = plan.dispatch @update(%c) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.return %0 : tensor<4x8xf32>
}

// -----

// expected-error @+1 {{expected xf.dims on result 0}}
plan.kernel @unsized(%c: tensor<4xf32>) -> tensor<4xf32> attributes {dims = []} {
  plan.yield %c : tensor<4xf32>
}
plan.entry @unsized_result(%c: tensor<4xf32> {xf.dims = ["4"], xf.name = "x"}) -> (tensor<4xf32> {xf.name = "y", xf.dims = ["4"]}) attributes {dims = []} {
  %0 = plan.dispatch @unsized(%c) dims [] : (tensor<4xf32>) -> tensor<4xf32>
  plan.return %0 : tensor<4xf32>
}

// -----

plan.kernel @make(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
plan.kernel @update(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {plan.alias = 0 : i64, xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
plan.entry @value_read_after_update(%c: tensor<4x8xf32> {xf.dims = ["4", "8"], xf.name = "x"}) -> (tensor<4x8xf32> {xf.name = "y", xf.dims = ["4", "8"]}, tensor<4x8xf32> {xf.name = "z", xf.dims = ["4", "8"]}) attributes {dims = []} {
  %0 = plan.dispatch @make(%c) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error @+1 {{expected a value not to be read after its memory is taken over: it would have to be copied}}
  %1 = plan.dispatch @update(%0) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-note @+1 {{read here}}
  %2 = plan.dispatch @make(%0) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

plan.kernel @update(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {plan.alias = 0 : i64, xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
plan.kernel @make(%c: tensor<4x8xf32> {xf.dims = ["4", "8"]}) -> (tensor<4x8xf32> {xf.dims = ["4", "8"]}) attributes {dims = []} {
  %y = xf.silu %c : (tensor<4x8xf32>) -> tensor<4x8xf32>
  plan.yield %y : tensor<4x8xf32>
}
// A value from outside must be the same in every iteration.
plan.entry @update_in_loop(%c: tensor<4x8xf32> {xf.dims = ["4", "8"], xf.name = "x"}) -> (tensor<4x8xf32> {xf.name = "y", xf.dims = ["4", "8"]}) attributes {dims = []} {
  %0 = plan.dispatch @make(%c) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = plan.loop "i" trips "3" inits(%c) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%i: index, %a: tensor<4x8xf32>):
    // expected-note @+2 {{read here}}
    // expected-error @+1 {{expected a value not to be read after its memory is taken over: it would have to be copied}}
    %1 = plan.dispatch @update(%0) dims [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
    plan.next %1 : tensor<4x8xf32>
  }
  plan.return %r : tensor<4x8xf32>
}
