// RUN: dragoman-opt %s --plan-form-kernels --split-input-file --verify-diagnostics

// expected-error @+1 {{expected xf.dims on argument 0}}
func.func @unnamed(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

func.func @data_dependent(%x: tensor<4xi64> {xf.dims = ["4"]}) -> (tensor<?xf32> {xf.name = "y"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.extract %x[%c0] : tensor<4xi64>
  %s = arith.index_cast %n : i64 to index
  %e = tensor.empty(%s) : tensor<?xf32>
  // expected-error @+1 {{expected sizes that follow from the entry's arguments, found one that depends on data}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%o: f32):
    %1 = arith.constant 1.0 : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
