// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// Counter and key of zeros: the words 6627e8d5 e169c58d bc57ac4c 9b00dbd8 of the
// published test, that is 0.399, 0.881, 0.736 and 0.606.
func.func @known_words() {
  %x = arith.constant dense<[[1.0, 2.0, 4.0, 8.0]]> : tensor<1x4xf32>
  %s = arith.constant dense<0> : tensor<i64>
  %k = arith.constant dense<[0]> : tensor<1xi64>
  %y = xf.dropout %x seed %s row_key %k {p = 0.5, site = 0} : (tensor<1x4xf32>, tensor<i64>, tensor<1xi64>) -> tensor<1x4xf32>
  %e = arith.constant dense<[[0.0, 4.0, 8.0, 16.0]]> : tensor<1x4xf32>
  check.equal %y, %e : tensor<1x4xf32>
  %z = xf.dropout %x seed %s row_key %k {p = 0.75, site = 0} : (tensor<1x4xf32>, tensor<i64>, tensor<1xi64>) -> tensor<1x4xf32>
  %f = arith.constant dense<[[0.0, 8.0, 0.0, 0.0]]> : tensor<1x4xf32>
  check.equal %z, %f : tensor<1x4xf32>
  return
}

// Both halves of a seed count, by their exclusive or.
func.func @folded_seed() {
  %x = arith.constant dense<1.0> : tensor<1x9xf32>
  %k = arith.constant dense<[7]> : tensor<1xi64>
  %small = arith.constant dense<6> : tensor<i64>
  %large = arith.constant dense<12884901893> : tensor<i64> // 3 * 2^32 + 5
  %y = xf.dropout %x seed %small row_key %k {p = 0.5, site = 9} : (tensor<1x9xf32>, tensor<i64>, tensor<1xi64>) -> tensor<1x9xf32>
  %z = xf.dropout %x seed %large row_key %k {p = 0.5, site = 9} : (tensor<1x9xf32>, tensor<i64>, tensor<1xi64>) -> tensor<1x9xf32>
  check.equal %y, %z : tensor<1x9xf32>
  return
}

// The same sentence alone and in a batch, with and without padding.
func.func @batch_and_padding() {
  %s = arith.constant dense<11> : tensor<i64>
  %x = arith.constant dense<1.0> : tensor<3x4x5xf32>
  %k = arith.constant dense<[9, 123456789012, 9]> : tensor<3xi64>
  %y = xf.dropout %x seed %s row_key %k {p = 0.5, site = 2} : (tensor<3x4x5xf32>, tensor<i64>, tensor<3xi64>) -> tensor<3x4x5xf32>
  %a = arith.constant dense<1.0> : tensor<1x2x5xf32>
  %l = arith.constant dense<[123456789012]> : tensor<1xi64>
  %z = xf.dropout %a seed %s row_key %l {p = 0.5, site = 2} : (tensor<1x2x5xf32>, tensor<i64>, tensor<1xi64>) -> tensor<1x2x5xf32>
  %second = tensor.extract_slice %y[1, 0, 0] [1, 2, 5] [1, 1, 1] : tensor<3x4x5xf32> to tensor<1x2x5xf32>
  check.equal %second, %z : tensor<1x2x5xf32>
  %first = tensor.extract_slice %y[0, 0, 0] [1, 4, 5] [1, 1, 1] : tensor<3x4x5xf32> to tensor<1x4x5xf32>
  %third = tensor.extract_slice %y[2, 0, 0] [1, 4, 5] [1, 1, 1] : tensor<3x4x5xf32> to tensor<1x4x5xf32>
  check.equal %first, %third : tensor<1x4x5xf32>
  return
}

// Head 0 of [B,H,T,C] draws as [B,T,C] does.
func.func @heads() {
  %s = arith.constant dense<11> : tensor<i64>
  %k = arith.constant dense<[9]> : tensor<1xi64>
  %x = arith.constant dense<1.0> : tensor<1x2x3x4xf32>
  %a = arith.constant dense<1.0> : tensor<1x3x4xf32>
  %y = xf.dropout %x seed %s row_key %k {p = 0.5, site = 2} : (tensor<1x2x3x4xf32>, tensor<i64>, tensor<1xi64>) -> tensor<1x2x3x4xf32>
  %z = xf.dropout %a seed %s row_key %k {p = 0.5, site = 2} : (tensor<1x3x4xf32>, tensor<i64>, tensor<1xi64>) -> tensor<1x3x4xf32>
  %h = tensor.extract_slice %y[0, 0, 0, 0] [1, 1, 3, 4] [1, 1, 1, 1] : tensor<1x2x3x4xf32> to tensor<1x3x4xf32>
  check.equal %h, %z : tensor<1x3x4xf32>
  return
}

// A dropped NaN is 0, a kept one stays.
func.func @nan() {
  %x = arith.constant dense<[[0x7FC00000, 0x7FC00000]]> : tensor<1x2xf32>
  %s = arith.constant dense<0> : tensor<i64>
  %k = arith.constant dense<[0]> : tensor<1xi64>
  %y = xf.dropout %x seed %s row_key %k {p = 0.5, site = 0} : (tensor<1x2xf32>, tensor<i64>, tensor<1xi64>) -> tensor<1x2xf32>
  %e = arith.constant dense<[[0.0, 0x7FC00000]]> : tensor<1x2xf32>
  check.close %y, %e : tensor<1x2xf32>
  return
}
