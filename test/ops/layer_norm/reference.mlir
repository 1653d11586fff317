// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// Mean 2.5, variance 1.25; eps 1.75 makes the deviation sqrt 3.
func.func @gain_and_bias() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %g = arith.constant dense<[1.0, 2.0, 1.0, 1.0]> : tensor<4xf32>
  %b = arith.constant dense<[0.0, 0.0, 10.0, 0.0]> : tensor<4xf32>
  %y = xf.layer_norm %x gain %g bias %b {eps = 1.75} : (tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
  %e = arith.constant dense<[[-0.866025404, -0.577350269, 10.288675135, 0.866025404]]> : tensor<1x4xf32>
  check.close %y, %e : tensor<1x4xf32>
  return
}

// A large common offset: the second pass keeps the variance exact.
func.func @two_passes() {
  %x = arith.constant dense<[[10000.0, 10001.0]]> : tensor<1x2xf32>
  %y = xf.layer_norm %x {eps = 0.0} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %e = arith.constant dense<[[-1.0, 1.0]]> : tensor<1x2xf32>
  check.close %y, %e : tensor<1x2xf32>
  return
}

func.func @two_axes() {
  %x = arith.constant dense<[[[1.0, 1.0], [3.0, 3.0]]]> : tensor<1x2x2xf32>
  %g = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = xf.layer_norm %x gain %g {eps = 0.0, axes = 2} : (tensor<1x2x2xf32>, tensor<2x2xf32>) -> tensor<1x2x2xf32>
  %e = arith.constant dense<[[[-1.0, -2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  check.close %y, %e : tensor<1x2x2xf32>
  return
}

// A constant row with eps is the bias, a NaN poisons its own row only.
func.func @special_rows() {
  %x = arith.constant dense<[[2.0, 2.0], [0x7FC00000, 1.0], [0.0, 2.0]]> : tensor<3x2xf32>
  %y = xf.layer_norm %x {eps = 3.0} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %e = arith.constant dense<[[0.0, 0.0], [0x7FC00000, 0x7FC00000], [-0.5, 0.5]]> : tensor<3x2xf32>
  check.close %y, %e : tensor<3x2xf32>
  return
}
