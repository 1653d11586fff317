// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @plain(%a: tensor<?x3x?x19xf32> {xf.dims = ["B", "3", "T", "19"]}, %b: tensor<?x3x19x?xf32> {xf.dims = ["B", "3", "19", "S"]}) -> tensor<?x3x?x?xf32> {
  %c = xf.matmul %a, %b {alpha = 0.5} : (tensor<?x3x?x19xf32>, tensor<?x3x19x?xf32>) -> tensor<?x3x?x?xf32>
  return %c : tensor<?x3x?x?xf32>
}

func.func @transposed(%a: tensor<?x17x5xf32> {xf.dims = ["B", "17", "5"]}, %b: tensor<1x21x17xf32> {xf.dims = ["1", "21", "17"]}) -> tensor<?x5x21xf32> {
  %c = xf.matmul %a, %b {transpose_a, transpose_b} : (tensor<?x17x5xf32>, tensor<1x21x17xf32>) -> tensor<?x5x21xf32>
  return %c : tensor<?x5x21xf32>
}

func.func @dynamic_sum(%a: tensor<5x?xf32> {xf.dims = ["5", "S"]}, %b: tensor<?x7xf32> {xf.dims = ["S", "7"]}) -> tensor<5x7xf32> {
  %c = xf.matmul %a, %b : (tensor<5x?xf32>, tensor<?x7xf32>) -> tensor<5x7xf32>
  return %c : tensor<5x7xf32>
}
