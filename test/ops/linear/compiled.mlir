// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on: row tiles, column tails, K tails.
plan.weight @w : tensor<37x19xf32> {source = #plan.normal<3, 0.5>}
plan.weight @b : tensor<37xf32> {source = #plan.normal<4, 1.0>}
plan.weight @wide : tensor<96x64xf32> {source = #plan.normal<5, 0.2>}

func.func @tails(%x: tensor<?x19xf32> {xf.dims = ["N", "19"]}) -> tensor<?x37xf32> {
  %w = plan.load @w : tensor<37x19xf32>
  %b = plan.load @b : tensor<37xf32>
  %y = xf.linear %x, %w bias %b {activation = "silu"} : (tensor<?x19xf32>, tensor<37x19xf32>, tensor<37xf32>) -> tensor<?x37xf32>
  return %y : tensor<?x37xf32>
}

func.func @gelu(%x: tensor<?x?x19xf32> {xf.dims = ["B", "S", "19"]}) -> tensor<?x?x37xf32> {
  %w = plan.load @w : tensor<37x19xf32>
  %y = xf.linear %x, %w {activation = "gelu"} : (tensor<?x?x19xf32>, tensor<37x19xf32>) -> tensor<?x?x37xf32>
  return %y : tensor<?x?x37xf32>
}

func.func @gelu_tanh(%x: tensor<?x19xf32> {xf.dims = ["N", "19"]}) -> tensor<?x37xf32> {
  %w = plan.load @w : tensor<37x19xf32>
  %y = xf.linear %x, %w {activation = "gelu_tanh"} : (tensor<?x19xf32>, tensor<37x19xf32>) -> tensor<?x37xf32>
  return %y : tensor<?x37xf32>
}

func.func @sigmoid(%x: tensor<?x19xf32> {xf.dims = ["N", "19"]}) -> tensor<?x37xf32> {
  %w = plan.load @w : tensor<37x19xf32>
  %y = xf.linear %x, %w {activation = "sigmoid"} : (tensor<?x19xf32>, tensor<37x19xf32>) -> tensor<?x37xf32>
  return %y : tensor<?x37xf32>
}

func.func @tanh(%x: tensor<?x19xf32> {xf.dims = ["N", "19"]}) -> tensor<?x37xf32> {
  %w = plan.load @w : tensor<37x19xf32>
  %y = xf.linear %x, %w {activation = "tanh"} : (tensor<?x19xf32>, tensor<37x19xf32>) -> tensor<?x37xf32>
  return %y : tensor<?x37xf32>
}

// A residual sum behind the product, in the same kernel.
func.func @residual(%x: tensor<?x64xf32> {xf.dims = ["N", "64"]}, %r: tensor<?x96xf32> {xf.dims = ["N", "96"]}) -> tensor<?x96xf32> {
  %w = plan.load @wide : tensor<96x64xf32>
  %y = xf.linear %x, %w {activation = "relu"} : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x96xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y, %r : tensor<?x96xf32>, tensor<?x96xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x96xf32>
  return %s : tensor<?x96xf32>
}

// A weight and a bias that are parts of a vector of parameters.
func.func @computed_weight(%x: tensor<?x?x19xf32> {xf.dims = ["B", "S", "19"]}, %p: tensor<740xf32> {xf.dims = ["740"]}) -> tensor<?x?x37xf32> {
  %s = tensor.extract_slice %p[0] [703] [1] : tensor<740xf32> to tensor<703xf32>
  %w = tensor.expand_shape %s [[0, 1]] output_shape [37, 19] : tensor<703xf32> into tensor<37x19xf32>
  %b = tensor.extract_slice %p[703] [37] [1] : tensor<740xf32> to tensor<37xf32>
  %y = xf.linear %x, %w bias %b {activation = "gelu"} : (tensor<?x?x19xf32>, tensor<37x19xf32>, tensor<37xf32>) -> tensor<?x?x37xf32>
  return %y : tensor<?x?x37xf32>
}

func.func @computed_vector(%x: tensor<19xf32> {xf.dims = ["19"]}, %w: tensor<37x19xf32> {xf.dims = ["37", "19"]}) -> tensor<37xf32> {
  %y = xf.linear %x, %w : (tensor<19xf32>, tensor<37x19xf32>) -> tensor<37xf32>
  return %y : tensor<37xf32>
}
