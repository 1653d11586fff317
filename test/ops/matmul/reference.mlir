// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @plain() {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[1.0, 0.0, 2.0], [0.0, 1.0, 3.0]]> : tensor<2x3xf32>
  %c = xf.matmul %a, %b {alpha = 0.5} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = arith.constant dense<[[0.5, 1.0, 4.0], [1.5, 2.0, 9.0]]> : tensor<2x3xf32>
  check.equal %c, %e : tensor<2x3xf32>
  return
}

func.func @transposes() {
  %a = arith.constant dense<[[1.0, 3.0], [2.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]]> : tensor<3x2xf32>
  %c = xf.matmul %a, %b {transpose_a, transpose_b} : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  %e = arith.constant dense<[[1.0, 2.0, 8.0], [3.0, 4.0, 18.0]]> : tensor<2x3xf32>
  check.equal %c, %e : tensor<2x3xf32>
  return
}

// Batch axes broadcast from static 1 on either side.
func.func @batches() {
  %a = arith.constant dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>
  %b = arith.constant dense<[[[[3.0]]], [[[5.0]]]]> : tensor<2x1x1x1xf32>
  %c = xf.matmul %a, %b : (tensor<1x2x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<2x2x1x1xf32>
  %e = arith.constant dense<[[[[3.0]], [[6.0]]], [[[5.0]], [[10.0]]]]> : tensor<2x2x1x1xf32>
  check.equal %c, %e : tensor<2x2x1x1xf32>
  return
}

func.func @empty_sum() {
  %a = arith.constant dense<0.0> : tensor<1x0xf32>
  %b = arith.constant dense<0.0> : tensor<0x1xf32>
  %c = xf.matmul %a, %b : (tensor<1x0xf32>, tensor<0x1xf32>) -> tensor<1x1xf32>
  %e = arith.constant dense<0.0> : tensor<1x1xf32>
  check.equal %c, %e : tensor<1x1xf32>
  return
}
