// RUN: dragoman-opt --interpret %s

func.func @erf() {
  %x = arith.constant dense<[-2.0, -0.5, 0.0, 0.5, 3.0, 0x7FC00000]> : tensor<6xf32>
  %y = xf.gelu %x : (tensor<6xf32>) -> tensor<6xf32>
  %e = arith.constant dense<[-0.045500264, -0.154268769, 0.0, 0.345731231, 2.995950306, 0x7FC00000]> : tensor<6xf32>
  check.close %y, %e {atol = 1.0e-6} : tensor<6xf32>
  return
}

func.func @tanh() {
  %x = arith.constant dense<[-2.0, -0.5, 0.0, 0.5, 3.0]> : tensor<5xf32>
  %y = xf.gelu %x {kind = "tanh"} : (tensor<5xf32>) -> tensor<5xf32>
  %e = arith.constant dense<[-0.045402306, -0.154285990, 0.0, 0.345714010, 2.996362608]> : tensor<5xf32>
  check.close %y, %e {atol = 1.0e-6} : tensor<5xf32>
  return
}
