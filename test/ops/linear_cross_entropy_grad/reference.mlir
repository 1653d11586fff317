// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @smoothed() {
  %c1 = arith.constant dense<[[1.0, 1.0, 0.0, 0.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %c3 = arith.constant dense<[1.0, 0.0, 0.0, -1.0]> : tensor<4xf32>
  %c4 = arith.constant dense<[0]> : tensor<1xi64>
  %c5 = arith.constant dense<[2.0]> : tensor<1xf32>
  %loss, %nll, %correct, %dh, %dw, %db = xf.linear_cross_entropy_grad %c5, %c1, %c2 bias %c3 target %c4 {smoothing = 0.1} : (tensor<1xf32>, tensor<1x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<1xi64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x4xf32>, tensor<4x4xf32>, tensor<4xf32>)
  %c6 = arith.constant dense<[0.5901896986]> : tensor<1xf32>
  check.close %loss, %c6 : tensor<1xf32>
  %c7 = arith.constant dense<[[-0.562171480, 0.423765636, 0.124288637, 0.014117207]]> : tensor<1x4xf32>
  check.close %dh, %c7 : tensor<1x4xf32>
  %c8 = arith.constant dense<[[-0.562171480, -0.562171480, -0.000000000, -0.000000000], [0.423765636, 0.423765636, 0.000000000, 0.000000000], [0.124288637, 0.124288637, 0.000000000, 0.000000000], [0.014117207, 0.014117207, 0.000000000, 0.000000000]]> : tensor<4x4xf32>
  check.close %dw, %c8 : tensor<4x4xf32>
  %c9 = arith.constant dense<[-0.562171480, 0.423765636, 0.124288637, 0.014117207]> : tensor<4xf32>
  check.close %db, %c9 : tensor<4xf32>
  return
}

// Whatever an ignored row holds, it adds nothing.
func.func @ignored_adds_nothing() {
  %c1 = arith.constant dense<[[1.0, 1.0, 0.0, 0.0], [0x7FC00000, 1.0, 1.0, 1.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %c3 = arith.constant dense<[1.0, 0.0, 0.0, -1.0]> : tensor<4xf32>
  %c4 = arith.constant dense<[0, -100]> : tensor<2xi64>
  %c5 = arith.constant dense<[2.0, 9.0]> : tensor<2xf32>
  %loss, %nll, %correct, %dh, %dw, %db = xf.linear_cross_entropy_grad %c5, %c1, %c2 bias %c3 target %c4 {smoothing = 0.1} : (tensor<2xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4xf32>)
  %c6 = arith.constant dense<[0.5901896986, 0.0]> : tensor<2xf32>
  check.close %loss, %c6 : tensor<2xf32>
  %c7 = arith.constant dense<[[-0.562171480, 0.423765636, 0.124288637, 0.014117207], [0.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf32>
  check.close %dh, %c7 : tensor<2x4xf32>
  %c8 = arith.constant dense<[[-0.562171480, -0.562171480, -0.000000000, -0.000000000], [0.423765636, 0.423765636, 0.000000000, 0.000000000], [0.124288637, 0.124288637, 0.000000000, 0.000000000], [0.014117207, 0.014117207, 0.000000000, 0.000000000]]> : tensor<4x4xf32>
  check.close %dw, %c8 : tensor<4x4xf32>
  %c9 = arith.constant dense<[-0.562171480, 0.423765636, 0.124288637, 0.014117207]> : tensor<4xf32>
  check.close %db, %c9 : tensor<4xf32>
  return
}

// More rows than exist at once.
func.func @beyond_a_chunk() {
  %h = arith.constant dense<0.5> : tensor<600x4xf32>
  %w = arith.constant dense<[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : tensor<4x4xf32>
  %b = arith.constant dense<0.0> : tensor<4xf32>
  %y = arith.constant dense<1> : tensor<600xi64>
  %loss_expected = arith.constant dense<1.3862943611> : tensor<600xf32>
  %d = arith.constant dense<1.0> : tensor<600xf32>
  %loss, %nll, %correct, %dh, %dw, %db = xf.linear_cross_entropy_grad %d, %h, %w bias %b target %y : (tensor<600xf32>, tensor<600x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<600xi64>) -> (tensor<600xf32>, tensor<600xf32>, tensor<600xf32>, tensor<600x4xf32>, tensor<4x4xf32>, tensor<4xf32>)
  %dw_expected = arith.constant dense<[[75.0, 75.0, 75.0, 75.0], [-225.0, -225.0, -225.0, -225.0], [75.0, 75.0, 75.0, 75.0], [75.0, 75.0, 75.0, 75.0]]> : tensor<4x4xf32>
  %db_expected = arith.constant dense<[150.0, -450.0, 150.0, 150.0]> : tensor<4xf32>
  %last = tensor.extract_slice %dh[599, 0] [1, 4] [1, 1] : tensor<600x4xf32> to tensor<1x4xf32>
  %last_expected = arith.constant dense<[[0.25, -0.75, 0.25, 0.25]]> : tensor<1x4xf32>
  check.close %loss, %loss_expected : tensor<600xf32>
  check.close %dw, %dw_expected : tensor<4x4xf32>
  check.close %db, %db_expected : tensor<4xf32>
  check.close %last, %last_expected : tensor<1x4xf32>
  return
}
