// RUN: dragoman-opt --interpret %s

func.func @values() {
  %x = arith.constant dense<[-2.0, -0.5, 0.0, 0.5, 3.0, 0x7FC00000]> : tensor<6xf32>
  %y = xf.silu %x : (tensor<6xf32>) -> tensor<6xf32>
  %e = arith.constant dense<[-0.238405844, -0.188770334, 0.0, 0.311229666, 2.857722380, 0x7FC00000]> : tensor<6xf32>
  check.close %y, %e {atol = 1.0e-6} : tensor<6xf32>
  return
}

func.func @half() {
  %x = arith.constant dense<[0.5, 3.0]> : tensor<2xbf16>
  %y = xf.silu %x : (tensor<2xbf16>) -> tensor<2xbf16>
  %e = arith.constant dense<[0.310546875, 2.859375]> : tensor<2xbf16>
  check.close %y, %e : tensor<2xbf16>
  return
}
