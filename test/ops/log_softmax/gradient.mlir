// RUN: dragoman-opt --check-gradients %s

func.func @log_softmax_g1(%x: tensor<?x5xf32> {xf.dims = ["N", "5"]}) -> tensor<?x5xf32> {
  %y = xf.log_softmax %x : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

func.func @log_softmax_g1_axis(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = xf.log_softmax %x {axis = 1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// Rows that see some entries, and rows that may see none.
func.func @log_softmax_g1_mask(%x: tensor<4x5xf32>, %m: tensor<4x5xi1>) -> tensor<4x5xf32> {
  %y = xf.log_softmax %x mask %m : (tensor<4x5xf32>, tensor<4x5xi1>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

func.func @log_softmax_g1_key_count(%x: tensor<?x?xf32> {xf.dims = ["B", "S"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,3)"}) -> tensor<?x?xf32> {
  %y = xf.log_softmax %x key_count %n : (tensor<?x?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
