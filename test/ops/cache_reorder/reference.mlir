// RUN: dragoman-opt --interpret %s

func.func @rows() {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %from = arith.constant dense<[2, 0, 2, 1]> : tensor<4xi32>
  %r = xf.cache_reorder %c, %from : (tensor<3x2xf32>, tensor<4xi32>) -> tensor<4x2xf32>
  %e = arith.constant dense<[[5.0, 6.0], [1.0, 2.0], [5.0, 6.0], [3.0, 4.0]]> : tensor<4x2xf32>
  check.equal %r, %e : tensor<4x2xf32>
  return
}

func.func @out_of_range() attributes {check.fails = "check 5 failed at index 1: value 3, bound 3"} {
  %c = arith.constant dense<0.0> : tensor<3x2xf32>
  %from = arith.constant dense<[2, 3]> : tensor<2xi64>
  %r = xf.cache_reorder %c, %from {site = 5} : (tensor<3x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  return
}
