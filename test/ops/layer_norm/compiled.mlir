// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @tail(%x: tensor<?x?x37xf32> {xf.dims = ["B", "S", "37"], xf.domain = "normal(3.0)"}, %g: tensor<37xf32> {xf.dims = ["37"]}, %b: tensor<37xf32> {xf.dims = ["37"]}) -> tensor<?x?x37xf32> {
  %y = xf.layer_norm %x gain %g bias %b {eps = 1.0e-5} : (tensor<?x?x37xf32>, tensor<37xf32>, tensor<37xf32>) -> tensor<?x?x37xf32>
  return %y : tensor<?x?x37xf32>
}

func.func @two_axes(%x: tensor<?x3x16xf32> {xf.dims = ["N", "3", "16"]}, %g: tensor<3x16xf32> {xf.dims = ["3", "16"]}) -> tensor<?x3x16xf32> {
  %y = xf.layer_norm %x gain %g {eps = 1.0e-3, axes = 2} : (tensor<?x3x16xf32>, tensor<3x16xf32>) -> tensor<?x3x16xf32>
  return %y : tensor<?x3x16xf32>
}

func.func @one_element(%x: tensor<?x1xf32> {xf.dims = ["N", "1"]}) -> tensor<?x1xf32> {
  %y = xf.layer_norm %x {eps = 1.0e-5} : (tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}

// A residual sum in front, in the same kernel.
func.func @residual(%x: tensor<?x128xf32> {xf.dims = ["N", "128"]}, %r: tensor<?x128xf32> {xf.dims = ["N", "128"]}) -> tensor<?x128xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x128xf32>
  %e = tensor.empty(%n) : tensor<?x128xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %r : tensor<?x128xf32>, tensor<?x128xf32>) outs(%e : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x128xf32>
  %y = xf.layer_norm %s {eps = 1.0e-5} : (tensor<?x128xf32>) -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}

func.func @special() -> tensor<3x2xf32> {
  %x = arith.constant dense<[[2.0, 2.0], [0x7FC00000, 1.0], [1.0e4, 1.0001e4]]> : tensor<3x2xf32>
  %y = xf.layer_norm %x {eps = 3.0} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
