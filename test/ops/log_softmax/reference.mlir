// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @last_axis() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %y = xf.log_softmax %x : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %e = arith.constant dense<[[-2.407605964, -1.407605964, -0.407605964]]> : tensor<1x3xf32>
  check.close %y, %e : tensor<1x3xf32>
  return
}

// Masked entries are excluded even if they are NaN; an all-masked slice and one
// of -inf alone hold no weight.
func.func @mask() {
  %x = arith.constant dense<[[1.0, 2.0, 0x7FC00000], [1.0, 2.0, 3.0], [0xFF800000, 0xFF800000, 5.0]]> : tensor<3x3xf32>
  %m = arith.constant dense<[[true, true, false], [false, false, false], [true, true, false]]> : tensor<3x3xi1>
  %y = xf.log_softmax %x mask %m : (tensor<3x3xf32>, tensor<3x3xi1>) -> tensor<3x3xf32>
  %e = arith.constant dense<[[-1.313261688, -0.313261688, 0xFF800000], [0xFF800000, 0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<3x3xf32>
  check.close %y, %e : tensor<3x3xf32>
  return
}

// A mask of static 1 broadcasts; key_count counts along the axis, per row.
func.func @key_count_on_an_inner_axis() {
  %x = arith.constant dense<[[[1.0, 5.0], [3.0, 5.0], [9.0, 5.0]], [[1.0, 5.0], [3.0, 5.0], [9.0, 5.0]]]> : tensor<2x3x2xf32>
  %m = arith.constant dense<[[[true, false]]]> : tensor<1x1x2xi1>
  %n = arith.constant dense<[2, 1]> : tensor<2xi64>
  %y = xf.log_softmax %x mask %m key_count %n {axis = 1} : (tensor<2x3x2xf32>, tensor<1x1x2xi1>, tensor<2xi64>) -> tensor<2x3x2xf32>
  %e = arith.constant dense<[[[-2.126928011, 0xFF800000], [-0.126928011, 0xFF800000], [0xFF800000, 0xFF800000]], [[0.0, 0xFF800000], [0xFF800000, 0xFF800000], [0xFF800000, 0xFF800000]]]> : tensor<2x3x2xf32>
  check.close %y, %e : tensor<2x3x2xf32>
  return
}

// A visible NaN is poison for its slice only.
func.func @nan() {
  %x = arith.constant dense<[[0.0, 0x7FC00000], [2.0, 2.0]]> : tensor<2x2xf32>
  %y = xf.log_softmax %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %e = arith.constant dense<[[0x7FC00000, 0x7FC00000], [-0.693147181, -0.693147181]]> : tensor<2x2xf32>
  check.close %y, %e : tensor<2x2xf32>
  return
}
