// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @gain() {
  %x = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %g = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = xf.rms_norm %x gain %g {eps = 0.0} : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  %e = arith.constant dense<[[0.848528137, 2.262741700]]> : tensor<1x2xf32>
  check.close %y, %e : tensor<1x2xf32>
  return
}

func.func @zero_row() {
  %x = arith.constant dense<0.0> : tensor<1x2xf32>
  %y = xf.rms_norm %x {eps = 1.0} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  check.equal %y, %x : tensor<1x2xf32>
  return
}

// f16: squares are in float32, where 300 * 300 does not overflow.
func.func @half_squares() {
  %x = arith.constant dense<[[300.0, 300.0]]> : tensor<1x2xf16>
  %y = xf.rms_norm %x {eps = 0.0} : (tensor<1x2xf16>) -> tensor<1x2xf16>
  %e = arith.constant dense<[[1.0, 1.0]]> : tensor<1x2xf16>
  check.close %y, %e : tensor<1x2xf16>
  return
}
