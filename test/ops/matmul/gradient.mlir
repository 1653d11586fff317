// RUN: dragoman-opt --check-gradients %s

// Both operands (matmul_g1, matmul_g2) in each of the four layouts, and batch
// axes that broadcast.

func.func @matmul_g1_nn(%a: tensor<?x2x4xf32> {xf.dims = ["B", "2", "4"]}, %b: tensor<?x4x3xf32> {xf.dims = ["B", "4", "3"]}) -> tensor<?x2x3xf32> {
  %c = xf.matmul %a, %b {alpha = 0.5} : (tensor<?x2x4xf32>, tensor<?x4x3xf32>) -> tensor<?x2x3xf32>
  return %c : tensor<?x2x3xf32>
}

func.func @matmul_g1_nt(%a: tensor<?x2x4xf32> {xf.dims = ["B", "2", "4"]}, %b: tensor<?x3x4xf32> {xf.dims = ["B", "3", "4"]}) -> tensor<?x2x3xf32> {
  %c = xf.matmul %a, %b {transpose_b, alpha = 0.5} : (tensor<?x2x4xf32>, tensor<?x3x4xf32>) -> tensor<?x2x3xf32>
  return %c : tensor<?x2x3xf32>
}

func.func @matmul_g1_tn(%a: tensor<?x4x2xf32> {xf.dims = ["B", "4", "2"]}, %b: tensor<?x4x3xf32> {xf.dims = ["B", "4", "3"]}) -> tensor<?x2x3xf32> {
  %c = xf.matmul %a, %b {transpose_a, alpha = 0.5} : (tensor<?x4x2xf32>, tensor<?x4x3xf32>) -> tensor<?x2x3xf32>
  return %c : tensor<?x2x3xf32>
}

func.func @matmul_g1_tt(%a: tensor<?x4x2xf32> {xf.dims = ["B", "4", "2"]}, %b: tensor<?x3x4xf32> {xf.dims = ["B", "3", "4"]}) -> tensor<?x2x3xf32> {
  %c = xf.matmul %a, %b {transpose_a, transpose_b, alpha = 0.5} : (tensor<?x4x2xf32>, tensor<?x3x4xf32>) -> tensor<?x2x3xf32>
  return %c : tensor<?x2x3xf32>
}

func.func @matmul_g2_shared_right(%a: tensor<?x2x4xf32> {xf.dims = ["B", "2", "4"]}, %b: tensor<1x4x3xf32>) -> tensor<?x2x3xf32> {
  %c = xf.matmul %a, %b : (tensor<?x2x4xf32>, tensor<1x4x3xf32>) -> tensor<?x2x3xf32>
  return %c : tensor<?x2x3xf32>
}

func.func @matmul_g1_shared_middle(%a: tensor<2x1x2x3xf32>, %b: tensor<1x3x3x2xf32>) -> tensor<2x3x2x2xf32> {
  %c = xf.matmul %a, %b : (tensor<2x1x2x3xf32>, tensor<1x3x3x2xf32>) -> tensor<2x3x2x2xf32>
  return %c : tensor<2x3x2x2xf32>
}
