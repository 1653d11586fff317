// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// A row that is named twice gets both; rows nobody names are 0, and so is the
// padding row.
func.func @rows() {
  %dy = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %i = arith.constant dense<[2, 0, 2, 1]> : tensor<4xi64>
  %d = xf.embedding_grad %dy, %i {padding_id = 1, scale = 2.0} : (tensor<4x2xf32>, tensor<4xi64>) -> tensor<4x2xf32>
  %e = arith.constant dense<[[6.0, 8.0], [0.0, 0.0], [12.0, 16.0], [0.0, 0.0]]> : tensor<4x2xf32>
  check.equal %d, %e : tensor<4x2xf32>
  return
}

// Ids outside the table add nothing; a NaN stays in its row.
func.func @outside() {
  %dy = arith.constant dense<[[[1.0], [2.0], [0x7FC00000]]]> : tensor<1x3x1xf32>
  %i = arith.constant dense<[[-1, 3, 0]]> : tensor<1x3xi32>
  %d = xf.embedding_grad %dy, %i : (tensor<1x3x1xf32>, tensor<1x3xi32>) -> tensor<3x1xf32>
  %e = arith.constant dense<[[0x7FC00000], [0.0], [0.0]]> : tensor<3x1xf32>
  check.close %d, %e : tensor<3x1xf32>
  return
}

// Half-precision rows are summed in f32.
func.func @sum_in_f32() {
  %dy = arith.constant dense<[[2048.0], [1.0], [1.0]]> : tensor<3x1xf16>
  %i = arith.constant dense<[0, 0, 0]> : tensor<3xi64>
  %d = xf.embedding_grad %dy, %i : (tensor<3x1xf16>, tensor<3xi64>) -> tensor<1x1xf32>
  %e = arith.constant dense<[[2050.0]]> : tensor<1x1xf32>
  check.equal %d, %e : tensor<1x1xf32>
  return
}
