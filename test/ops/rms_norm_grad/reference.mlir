// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// The mean square is 7.5; eps 2.5 makes the scale sqrt 0.1.
func.func @gain() {
  %dy = arith.constant dense<[[1.0, -2.0, 0.5, 4.0]]> : tensor<1x4xf32>
  %x = arith.constant dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
  %g = arith.constant dense<[1.0, 2.0, 1.0, -1.0]> : tensor<4xf32>
  %dx, %r = xf.rms_norm_grad %dy, %x gain %g {eps = 2.5} : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<4xf32>) -> (tensor<1x4xf32>, tensor<1xf32>)
  %e = arith.constant dense<[[0.486200190, -0.924966216, 0.668031156, -0.585021367]]> : tensor<1x4xf32>
  %er = arith.constant dense<[0.316227766]> : tensor<1xf32>
  check.close %dx, %e : tensor<1x4xf32>
  check.close %r, %er : tensor<1xf32>
  return
}

// Without eps dx stands at right angles to x; a NaN poisons its own row only.
func.func @special_rows() {
  %dy = arith.constant dense<[[2.0, 4.0], [1.0, 1.0], [4.0, -2.0]]> : tensor<3x2xf32>
  %x = arith.constant dense<[[1.0, 2.0], [0x7FC00000, 1.0], [1.0, 2.0]]> : tensor<3x2xf32>
  %dx, %r = xf.rms_norm_grad %dy, %x {eps = 0.0} : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>)
  %e = arith.constant dense<[[0.0, 0.0], [0x7FC00000, 0x7FC00000], [2.529822128, -1.264911064]]> : tensor<3x2xf32>
  check.close %dx, %e {atol = 1.0e-6, rtol = 1.0e-6} : tensor<3x2xf32>
  return
}

// Squares beyond the range of f16 are summed in f32.
func.func @large_f16() {
  %dy = arith.constant dense<[[300.0, 0.0]]> : tensor<1x2xf16>
  %x = arith.constant dense<[[300.0, 300.0]]> : tensor<1x2xf16>
  %dx, %r = xf.rms_norm_grad %dy, %x {eps = 0.0} : (tensor<1x2xf16>, tensor<1x2xf16>) -> (tensor<1x2xf16>, tensor<1xf32>)
  %e = arith.constant dense<[[0.5, -0.5]]> : tensor<1x2xf16>
  %er = arith.constant dense<[0.003333333]> : tensor<1xf32>
  check.close %dx, %e : tensor<1x2xf16>
  check.close %r, %er : tensor<1xf32>
  return
}
