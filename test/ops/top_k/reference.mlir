// RUN: dragoman-opt --interpret %s

// Ties go to the lower index, NaN ranks last.
func.func @largest() {
  %x = arith.constant dense<[[1.0, 3.0, 3.0, 0x7FC00000], [0x7FC00000, 0xFF800000, 2.0, 1.0]]> : tensor<2x4xf32>
  %v, %i = xf.top_k %x {k = 3} : (tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %ev = arith.constant dense<[[3.0, 3.0, 1.0], [2.0, 1.0, 0xFF800000]]> : tensor<2x3xf32>
  %ei = arith.constant dense<[[1, 2, 0], [2, 3, 1]]> : tensor<2x3xi64>
  check.equal %v, %ev : tensor<2x3xf32>
  check.equal %i, %ei : tensor<2x3xi64>
  return
}

func.func @smallest() {
  %x = arith.constant dense<[0x7FC00000, 3.0, 1.0, 1.0]> : tensor<4xf32>
  %v, %i = xf.top_k %x {k = 4, largest = false} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  %ei = arith.constant dense<[2, 3, 1, 0]> : tensor<4xi32>
  check.equal %i, %ei : tensor<4xi32>
  return
}

func.func @k_beyond_the_axis() attributes {check.fails = "xf.top_k: expected k of at most 2, found 3"} {
  %x = arith.constant dense<0.0> : tensor<2xf32>
  %d = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %v, %i = xf.top_k %d {k = 3} : (tensor<?xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  return
}
