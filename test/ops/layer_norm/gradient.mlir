// RUN: dragoman-opt --check-gradients %s
// RUN: dragoman-opt --xf-decompose --check-gradients %s

func.func @layer_norm_g1(%x: tensor<?x5xf32> {xf.dims = ["N", "5"]}) -> tensor<?x5xf32> {
  %y = xf.layer_norm %x {eps = 0.1} : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

func.func @layer_norm_g2(%x: tensor<?x?x5xf32> {xf.dims = ["B", "T", "5"]}, %g: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<?x?x5xf32> {
  %y = xf.layer_norm %x gain %g bias %b {eps = 1.0e-3} : (tensor<?x?x5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<?x?x5xf32>
  return %y : tensor<?x?x5xf32>
}

// The last two axes together.
func.func @layer_norm_g2_axes(%x: tensor<?x2x3xf32> {xf.dims = ["N", "2", "3"]}, %g: tensor<2x3xf32>) -> tensor<?x2x3xf32> {
  %y = xf.layer_norm %x gain %g {eps = 1.0e-3, axes = 2} : (tensor<?x2x3xf32>, tensor<2x3xf32>) -> tensor<?x2x3xf32>
  return %y : tensor<?x2x3xf32>
}

// One gain for two norms.
func.func @layer_norm_g2_tied(%x: tensor<2x5xf32>, %g: tensor<5xf32>) -> tensor<2x5xf32> {
  %y = xf.layer_norm %x gain %g {eps = 0.1} : (tensor<2x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  %z = xf.layer_norm %y gain %g {eps = 0.2} : (tensor<2x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  return %z : tensor<2x5xf32>
}

func.func @layer_norm_g3(%x: tensor<3x5xf32>, %b: tensor<5xf32>) -> tensor<3x5xf32> {
  %y = xf.layer_norm %x bias %b {eps = 0.1} : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// A row of equal elements, as a padded row is: its variance is 0.
func.func @layer_norm_g1_constant_row(%c: tensor<2x1xf32>, %g: tensor<4xf32>) -> tensor<2x4xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<2x1xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2x4xf32>
  %y = xf.layer_norm %x gain %g {eps = 0.5} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
