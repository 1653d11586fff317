// RUN: dragoman-opt %s --plan-form-kernels --split-input-file --verify-diagnostics

func.func @no_tensor(%x: tensor<4xf32>) -> (tensor<4xf32> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{expected a loop over tensors, found 'index'}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %c0) -> (index) {
    %b = arith.addi %a, %i : index
    scf.yield %b : index
  }
  return %x : tensor<4xf32>
}

// -----

func.func @data_dependent(%x: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %m : i64 to index
  // expected-error @+1 {{expected bounds that follow from the entry's sizes, and a constant step above 0}}
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %b = xf.silu %a : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @grows(%x: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?xf32> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{expected values that keep their sizes, found ["N"] and then ["2*N"]}}
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %b = tensor.concat dim(0) %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

func.func @number_in_kernel(%x: tensor<4xi64>) -> (tensor<4xi64> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> (tensor<4xi64>) {
    %e = tensor.empty() : tensor<4xi64>
    // expected-error @+1 {{expected sizes that tensors of the loop have, found a number of the iteration}}
    %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xi64>) outs(%e : tensor<4xi64>) {
    ^bb0(%v: i64, %o: i64):
      %n = arith.index_cast %i : index to i64
      %s = arith.addi %v, %n : i64
      linalg.yield %s : i64
    } -> tensor<4xi64>
    scf.yield %b : tensor<4xi64>
  }
  return %r : tensor<4xi64>
}
