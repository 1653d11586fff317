// RUN: dragoman-opt --check-gradients %s
// RUN: dragoman-opt --xf-decompose --check-gradients %s

// Both halves (glu_g1, glu_g2) of each gate, either order, any axis.

func.func @glu_g1_sigmoid(%x: tensor<?x6xf32> {xf.dims = ["N", "6"]}) -> tensor<?x3xf32> {
  %y = xf.glu %x : (tensor<?x6xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

func.func @glu_g2_silu_first(%x: tensor<2x6xf32>) -> tensor<2x3xf32> {
  %y = xf.glu %x {gate = "silu", gate_first} : (tensor<2x6xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func @glu_g2_gelu_axis(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %y = xf.glu %x {gate = "gelu", axis = 0} : (tensor<4x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func @glu_g2_identity(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %y = xf.glu %x {gate = "identity"} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
