// RUN: dragoman-opt --interpret %s

func.func @sigmoid() {
  %x = arith.constant dense<[[2.0, 4.0, 0.5, -0.5]]> : tensor<1x4xf32>
  %y = xf.glu %x : (tensor<1x4xf32>) -> tensor<1x2xf32>
  %e = arith.constant dense<[[1.244918662, 1.510162675]]> : tensor<1x2xf32>
  check.close %y, %e {atol = 1.0e-6} : tensor<1x2xf32>
  return
}

func.func @gate_first_on_an_inner_axis() {
  %x = arith.constant dense<[[[3.0], [0.5], [2.0], [4.0]]]> : tensor<1x4x1xf32>
  %y = xf.glu %x {axis = 1, gate = "silu", gate_first} : (tensor<1x4x1xf32>) -> tensor<1x2x1xf32>
  %e = arith.constant dense<[[[5.715444761], [1.244918662]]]> : tensor<1x2x1xf32>
  check.close %y, %e {atol = 1.0e-6} : tensor<1x2x1xf32>
  return
}

func.func @gelu_and_identity() {
  %x = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %g = xf.glu %x {gate = "gelu"} : (tensor<2xf32>) -> tensor<1xf32>
  %i = xf.glu %x {gate = "identity"} : (tensor<2xf32>) -> tensor<1xf32>
  %eg = arith.constant dense<[5.991900611]> : tensor<1xf32>
  %ei = arith.constant dense<[6.0]> : tensor<1xf32>
  check.close %g, %eg {atol = 1.0e-6} : tensor<1xf32>
  check.equal %i, %ei : tensor<1xf32>
  return
}
