// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @smoothed() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %c3 = arith.constant dense<[0]> : tensor<1xi64>
  %loss, %nll, %correct = xf.linear_cross_entropy %c1, %c2 target %c3 {smoothing = 0.1} : (tensor<1x4xf32>, tensor<4x4xf32>, tensor<1xi64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c4 = arith.constant dense<[0.5901896986]> : tensor<1xf32>
  check.close %loss, %c4 : tensor<1xf32>
  %c5 = arith.constant dense<[0.4401896986]> : tensor<1xf32>
  check.close %nll, %c5 : tensor<1xf32>
  %c6 = arith.constant dense<[1.0]> : tensor<1xf32>
  check.close %correct, %c6 : tensor<1xf32>
  return
}

func.func @bias_and_ignored() {
  %c1 = arith.constant dense<[[1.0, 1.0, 0.0, 0.0], [0x7FC00000, 1.0, 1.0, 1.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %c3 = arith.constant dense<[1.0, 0.0, 0.0, -1.0]> : tensor<4xf32>
  %c4 = arith.constant dense<[0, -100]> : tensor<2xi64>
  %loss, %nll, %correct = xf.linear_cross_entropy %c1, %c2 bias %c3 target %c4 {smoothing = 0.1, forbidden = array<i64: 1>} : (tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c5 = arith.constant dense<[0.3365126862, 0.0]> : tensor<2xf32>
  check.close %loss, %c5 : tensor<2xf32>
  %c6 = arith.constant dense<[0.1698460196, 0.0]> : tensor<2xf32>
  check.close %nll, %c6 : tensor<2xf32>
  %c7 = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  check.close %correct, %c7 : tensor<2xf32>
  return
}

// More rows than exist at once.
func.func @beyond_a_chunk() {
  %h = arith.constant dense<0.5> : tensor<600x4xf32>
  %w = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %b = arith.constant dense<0.0> : tensor<4xf32>
  %y = arith.constant dense<1> : tensor<600xi64>
  %loss_expected = arith.constant dense<1.3862943611> : tensor<600xf32>
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w bias %b target %y : (tensor<600x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<600xi64>) -> (tensor<600xf32>, tensor<600xf32>, tensor<600xf32>)
  check.close %loss, %loss_expected : tensor<600xf32>
  check.close %nll, %loss_expected : tensor<600xf32>
  return
}
