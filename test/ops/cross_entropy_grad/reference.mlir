// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// Smoothing over all ids, the target included.
func.func @smoothed() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[0]> : tensor<1xi64>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 {smoothing = 0.1} : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c3 = arith.constant dense<[[-0.28108574, 0.21188282, 0.06214432, 0.00705860]]> : tensor<1x4xf32>
  check.close %dx, %c3 : tensor<1x4xf32>
  %c4 = arith.constant dense<[0.5901896986]> : tensor<1xf32>
  check.close %loss, %c4 : tensor<1xf32>
  %c5 = arith.constant dense<[0.4401896986]> : tensor<1xf32>
  check.close %nll, %c5 : tensor<1xf32>
  %c6 = arith.constant dense<[1.0]> : tensor<1xf32>
  check.equal %correct, %c6 : tensor<1xf32>
  %c7 = arith.constant dense<[2.4401896986]> : tensor<1xf32>
  check.close %lse, %c7 : tensor<1xf32>
  return
}

func.func @plain() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[0]> : tensor<1xi64>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 {} : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c3 = arith.constant dense<[[-0.35608574, 0.23688282, 0.08714432, 0.03205860]]> : tensor<1x4xf32>
  check.close %dx, %c3 : tensor<1x4xf32>
  %c4 = arith.constant dense<[0.4401896986]> : tensor<1xf32>
  check.close %loss, %c4 : tensor<1xf32>
  return
}

// A forbidden id has no part in the softmax and none in the smoothing.
func.func @forbidden() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[0]> : tensor<1xi64>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 {smoothing = 0.1, forbidden = array<i64: 1>} : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c3 = arith.constant dense<[[-0.08953860, 0.0, 0.08086187, 0.00867673]]> : tensor<1x4xf32>
  check.close %dx, %c3 : tensor<1x4xf32>
  %c4 = arith.constant dense<[0.3365126862]> : tensor<1xf32>
  check.close %loss, %c4 : tensor<1xf32>
  %c5 = arith.constant dense<[0.1698460196]> : tensor<1xf32>
  check.close %nll, %c5 : tensor<1xf32>
  %c6 = arith.constant dense<[2.1698460196]> : tensor<1xf32>
  check.close %lse, %c6 : tensor<1xf32>
  return
}

// Masked by -inf as well: the loss is finite.
func.func @forbidden_infinite() {
  %c1 = arith.constant dense<[[2.0, 0xFF800000, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[0]> : tensor<1xi64>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 {smoothing = 0.1, forbidden = array<i64: 1>} : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c3 = arith.constant dense<[0.3365126862]> : tensor<1xf32>
  check.close %loss, %c3 : tensor<1xf32>
  return
}

func.func @forbidden_target() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[1]> : tensor<1xi64>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 {smoothing = 0.1, forbidden = array<i64: 1>} : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c3 = arith.constant dense<[0x7F800000]> : tensor<1xf32>
  check.equal %loss, %c3 : tensor<1xf32>
  %c4 = arith.constant dense<[0x7F800000]> : tensor<1xf32>
  check.equal %nll, %c4 : tensor<1xf32>
  %c5 = arith.constant dense<[0.0]> : tensor<1xf32>
  check.equal %correct, %c5 : tensor<1xf32>
  return
}

// An ignored row is exactly 0, even if its logits are NaN.
func.func @ignored() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0], [0x7FC00000, 0x7F800000, 0.0, 1.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[0, -100]> : tensor<2xi64>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 {smoothing = 0.1} : (tensor<2x4xf32>, tensor<2xi64>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c3 = arith.constant dense<[[-0.28108574, 0.21188282, 0.06214432, 0.00705860], [0.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf32>
  check.close %dx, %c3 : tensor<2x4xf32>
  %c4 = arith.constant dense<[0.5901896986, 0.0]> : tensor<2xf32>
  check.close %loss, %c4 : tensor<2xf32>
  %c5 = arith.constant dense<[0.4401896986, 0.0]> : tensor<2xf32>
  check.close %nll, %c5 : tensor<2xf32>
  %c6 = arith.constant dense<[1.0, 0.0]> : tensor<2xf32>
  check.equal %correct, %c6 : tensor<2xf32>
  %c7 = arith.constant dense<[2.4401896986, 0.0]> : tensor<2xf32>
  check.close %lse, %c7 : tensor<2xf32>
  return
}

// Class weights; of equal logits the lower id is the answer.
func.func @weights() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0], [0.5, -1.0, 3.0, 3.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[2, 3]> : tensor<2xi32>
  %c3 = arith.constant dense<[9.0, 9.0, 0.5, 2.0]> : tensor<4xf32>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 class_weight %c3 {ignore = 7} : (tensor<2x4xf32>, tensor<2xi32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c4 = arith.constant dense<[1.2200948493, 1.4842562126]> : tensor<2xf32>
  check.close %loss, %c4 : tensor<2xf32>
  %c5 = arith.constant dense<[2.4401896986, 0.7421281063]> : tensor<2xf32>
  check.close %nll, %c5 : tensor<2xf32>
  %c6 = arith.constant dense<[0.0, 0.0]> : tensor<2xf32>
  check.equal %correct, %c6 : tensor<2xf32>
  return
}

func.func @dloss() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[2]> : tensor<1xi64>
  %c3 = arith.constant dense<[-3.0]> : tensor<1xf32>
  %c4 = arith.constant dense<[1.0, 1.0, 0.5, 1.0]> : tensor<4xf32>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 dloss %c3 class_weight %c4 {smoothing = 0.1} : (tensor<1x4xf32>, tensor<1xi64>, tensor<1xf32>, tensor<4xf32>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c5 = arith.constant dense<[1.1950948493]> : tensor<1xf32>
  check.close %loss, %c5 : tensor<1xf32>
  %c6 = arith.constant dense<[[-0.92837139, -0.31782423, 1.25678352, -0.01058790]]> : tensor<1x4xf32>
  check.close %dx, %c6 : tensor<1x4xf32>
  return
}

// A NaN is seen in the loss.
func.func @not_a_number() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0x7FC00000, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[0]> : tensor<1xi64>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 {} : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c3 = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  check.equal %loss, %c3 : tensor<1xf32>
  %c4 = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  check.equal %nll, %c4 : tensor<1xf32>
  %c5 = arith.constant dense<[1.0]> : tensor<1xf32>
  check.equal %correct, %c5 : tensor<1xf32>
  return
}

func.func @target_beyond() attributes {check.fails = "check 5 failed at index 0: value 4, bound 4"} {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[4]> : tensor<1xi64>
  %dx, %loss, %nll, %correct, %lse = xf.cross_entropy_grad %c1, %c2 {site = 5} : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<1x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}
