// RUN: dragoman-opt --check-gradients %s

func.func @embedding_g1(%t: tensor<5x3xf32>, %i: tensor<?x?xi64> {xf.dims = ["B", "T"], xf.domain = "ids(5)"}) -> tensor<?x?x3xf32> {
  %y = xf.embedding %t, %i {scale = 2.0} : (tensor<5x3xf32>, tensor<?x?xi64>) -> tensor<?x?x3xf32>
  return %y : tensor<?x?x3xf32>
}

// One table for source, target and projection: three gradients add up.
func.func @embedding_g1_tied(%t: tensor<5x3xf32>, %i: tensor<4xi64> {xf.domain = "ids(5)"}, %j: tensor<4xi32> {xf.domain = "ids(5)"}) -> tensor<4x5xf32> {
  %a = xf.embedding %t, %i {scale = 1.5} : (tensor<5x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  %b = xf.embedding %t, %j : (tensor<5x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>
  %h = arith.mulf %a, %b : tensor<4x3xf32>
  %y = xf.linear %h, %t : (tensor<4x3xf32>, tensor<5x3xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
