// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// Mean 2.5, variance 1.25; eps 1.75 makes the deviation sqrt 3.
func.func @gain() {
  %dy = arith.constant dense<[[1.0, -2.0, 0.5, 4.0]]> : tensor<1x4xf32>
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %g = arith.constant dense<[1.0, 2.0, 1.0, -1.0]> : tensor<4xf32>
  %dx, %m, %r = xf.layer_norm_grad %dy, %x gain %g {eps = 1.75} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<4xf32>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>)
  %e = arith.constant dense<[[1.136658342, -1.497502261, 1.353164693, -0.992320775]]> : tensor<1x4xf32>
  %em = arith.constant dense<[2.5]> : tensor<1xf32>
  %er = arith.constant dense<[0.577350269]> : tensor<1xf32>
  check.close %dx, %e : tensor<1x4xf32>
  check.close %m, %em : tensor<1xf32>
  check.close %r, %er : tensor<1xf32>
  return
}

// A constant row: only the centred dy is left. The sum of dx is 0 in every row.
// A NaN poisons its own row only.
func.func @special_rows() {
  %dy = arith.constant dense<[[1.0, 3.0], [1.0, 1.0], [5.0, 5.0]]> : tensor<3x2xf32>
  %x = arith.constant dense<[[2.0, 2.0], [0x7FC00000, 1.0], [0.0, 9.0]]> : tensor<3x2xf32>
  %dx, %m, %r = xf.layer_norm_grad %dy, %x {eps = 4.0} : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  %e = arith.constant dense<[[-0.5, 0.5], [0x7FC00000, 0x7FC00000], [0.0, 0.0]]> : tensor<3x2xf32>
  check.close %dx, %e : tensor<3x2xf32>
  return
}

// The normalised axes count together.
func.func @two_axes() {
  %dy = arith.constant dense<[[[1.0, -2.0], [0.5, 4.0]]]> : tensor<1x2x2xf32>
  %x = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %g = arith.constant dense<[[1.0, 2.0], [1.0, -1.0]]> : tensor<2x2xf32>
  %dx, %m, %r = xf.layer_norm_grad %dy, %x gain %g {eps = 1.75, axes = 2} : (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<2x2xf32>) -> (tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>)
  %e = arith.constant dense<[[[1.136658342, -1.497502261], [1.353164693, -0.992320775]]]> : tensor<1x2x2xf32>
  check.close %dx, %e : tensor<1x2x2xf32>
  return
}
