// RUN: dragoman-opt %s --verify-stage="stage=lowering" --split-input-file --verify-diagnostics

// expected-error @+1 {{expected the size of the arena}}
plan.entry @on_values() attributes {dims = []} {
  plan.return
}

// -----

plan.entry @tensor_left(%x: tensor<4xf32> {xf.dims = ["4"], xf.name = "x"}) attributes {dims = [], arena = "0"} {
  // expected-error @+1 {{'tensor.cast' op is not allowed in an entry on slots}}
  %0 = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  plan.return
}

// -----

plan.kernel @k(%x: tensor<4xf32> {xf.dims = ["4"]}) -> (tensor<4xf32> {xf.dims = ["4"]}) attributes {dims = [], tiles = "1", schedule = #plan.schedule<"elementwise", {}>} {
  plan.yield %x : tensor<4xf32>
}
plan.entry @too_few(%x: tensor<4xf32> {xf.dims = ["4"], xf.name = "x"}) attributes {dims = [], arena = "0"} {
  %0 = plan.slot "input" {offset = "0", bytes = "16"} : !plan.slot
  // expected-error @+1 {{expected 2 slots and no results, found 1 and 0}}
  plan.dispatch @k(%0) dims [] : (!plan.slot) -> ()
  plan.return
}
