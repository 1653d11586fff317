// RUN: dragoman-opt --check-gradients %s
// RUN: dragoman-opt --xf-decompose --check-gradients %s

// x, w and b (linear_g1 to linear_g3) with each activation and rank.

func.func @linear_g1_matrix(%x: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %w: tensor<3x4xf32>) -> tensor<?x3xf32> {
  %y = xf.linear %x, %w : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

func.func @linear_g2_vector(%x: tensor<4xf32>, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %y = xf.linear %x, %w bias %b : (tensor<4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @linear_g3_relu(%x: tensor<?x?x4xf32> {xf.dims = ["B", "T", "4"]}, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<?x?x3xf32> {
  %y = xf.linear %x, %w bias %b {activation = "relu"} : (tensor<?x?x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

func.func @linear_g3_gelu(%x: tensor<?x?x4xf32> {xf.dims = ["B", "T", "4"]}, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<?x?x3xf32> {
  %y = xf.linear %x, %w bias %b {activation = "gelu"} : (tensor<?x?x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

func.func @linear_g3_gelu_tanh(%x: tensor<?x?x4xf32> {xf.dims = ["B", "T", "4"]}, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<?x?x3xf32> {
  %y = xf.linear %x, %w bias %b {activation = "gelu_tanh"} : (tensor<?x?x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

func.func @linear_g3_silu(%x: tensor<?x?x4xf32> {xf.dims = ["B", "T", "4"]}, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<?x?x3xf32> {
  %y = xf.linear %x, %w bias %b {activation = "silu"} : (tensor<?x?x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

func.func @linear_g3_sigmoid(%x: tensor<?x?x4xf32> {xf.dims = ["B", "T", "4"]}, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<?x?x3xf32> {
  %y = xf.linear %x, %w bias %b {activation = "sigmoid"} : (tensor<?x?x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

func.func @linear_g3_tanh(%x: tensor<?x?x4xf32> {xf.dims = ["B", "T", "4"]}, %w: tensor<3x4xf32>, %b: tensor<3xf32>) -> tensor<?x?x3xf32> {
  %y = xf.linear %x, %w bias %b {activation = "tanh"} : (tensor<?x?x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}
