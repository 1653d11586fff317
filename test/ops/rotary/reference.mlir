// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// A quarter turn, of halves and of neighbours, and back.
func.func @quarter_turn() {
  %x = arith.constant dense<[[[[1.0, 2.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32>
  %c = arith.constant dense<0.0> : tensor<1x2xf32>
  %s = arith.constant dense<1.0> : tensor<1x2xf32>
  %h = xf.rotary %x, %c, %s : (tensor<1x1x1x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x1x1x4xf32>
  %eh = arith.constant dense<[[[[-3.0, -4.0, 1.0, 2.0]]]]> : tensor<1x1x1x4xf32>
  check.equal %h, %eh : tensor<1x1x1x4xf32>
  %i = xf.rotary %x, %c, %s {interleaved} : (tensor<1x1x1x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x1x1x4xf32>
  %ei = arith.constant dense<[[[[-2.0, 1.0, -4.0, 3.0]]]]> : tensor<1x1x1x4xf32>
  check.equal %i, %ei : tensor<1x1x1x4xf32>
  %b = xf.rotary %i, %c, %s {interleaved, inverse} : (tensor<1x1x1x4xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x1x1x4xf32>
  check.equal %b, %x : tensor<1x1x1x4xf32>
  return
}

// The last two of four channels stay.
func.func @partial() {
  %x = arith.constant dense<[[[[1.0, 2.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32>
  %c = arith.constant dense<0.0> : tensor<1x1xf32>
  %s = arith.constant dense<1.0> : tensor<1x1xf32>
  %y = xf.rotary %x, %c, %s : (tensor<1x1x1x4xf32>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1x1x4xf32>
  %e = arith.constant dense<[[[[-2.0, 1.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32>
  check.equal %y, %e : tensor<1x1x1x4xf32>
  return
}

// Positions of two tokens in both layouts.
func.func @positions() {
  %x = arith.constant dense<[[[[1.0, 2.0]], [[3.0, 4.0]]]]> : tensor<1x2x1x2xf32>
  %c = arith.constant dense<[[1.0], [0.0], [-1.0]]> : tensor<3x1xf32>
  %s = arith.constant dense<[[0.0], [1.0], [0.0]]> : tensor<3x1xf32>
  %p = arith.constant dense<[[2, 1]]> : tensor<1x2xi32>
  %y = xf.rotary %x, %c, %s positions %p {layout = "bthd"} : (tensor<1x2x1x2xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<1x2xi32>) -> tensor<1x2x1x2xf32>
  %e = arith.constant dense<[[[[-1.0, -2.0]], [[-4.0, 3.0]]]]> : tensor<1x2x1x2xf32>
  check.equal %y, %e : tensor<1x2x1x2xf32>
  %z = xf.rotary %x, %c, %s : (tensor<1x2x1x2xf32>, tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<1x2x1x2xf32>
  check.equal %z, %x : tensor<1x2x1x2xf32>
  return
}

// A position beyond the table names both.
func.func @beyond_the_table() attributes {check.fails = "check 2 failed at index 1: value 5, bound 4"} {
  %x = arith.constant dense<1.0> : tensor<1x1x2x2xf32>
  %c = arith.constant dense<1.0> : tensor<4x1xf32>
  %p = arith.constant dense<[[0, 5]]> : tensor<1x2xi64>
  %y = xf.rotary %x, %c, %c positions %p {site = 2} : (tensor<1x1x2x2xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<1x2xi64>) -> tensor<1x1x2x2xf32>
  return
}
