// RUN: dragoman-opt --interpret %s

func.func @scaled_rows() {
  %t = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %i = arith.constant dense<[[2, 0]]> : tensor<1x2xi64>
  %y = xf.embedding %t, %i {scale = 2.0} : (tensor<3x2xf32>, tensor<1x2xi64>) -> tensor<1x2x2xf32>
  %e = arith.constant dense<[[[10.0, 12.0], [2.0, 4.0]]]> : tensor<1x2x2xf32>
  check.equal %y, %e : tensor<1x2x2xf32>
  return
}

func.func @id_beyond_table() attributes {check.fails = "check 3 failed at index 1: value 3, bound 3"} {
  %t = arith.constant dense<0.0> : tensor<3x2xf32>
  %i = arith.constant dense<[0, 3, -1]> : tensor<3xi32>
  %y = xf.embedding %t, %i {site = 3} : (tensor<3x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  return
}

func.func @negative_id() attributes {check.fails = "check 3 failed at index 0: value -1, bound 3"} {
  %t = arith.constant dense<0.0> : tensor<3x2xf32>
  %i = arith.constant dense<[-1]> : tensor<1xi32>
  %y = xf.embedding %t, %i {site = 3} : (tensor<3x2xf32>, tensor<1xi32>) -> tensor<1x2xf32>
  return
}
