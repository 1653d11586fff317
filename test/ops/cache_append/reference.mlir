// RUN: dragoman-opt --interpret %s

// Row n writes T entries at at[n] into cache row row[n].
func.func @at_and_row() {
  %c = arith.constant dense<[[[[1.0], [2.0], [3.0]]], [[[4.0], [5.0], [6.0]]]]> : tensor<2x1x3x1xf32>
  %f = arith.constant dense<[[[[10.0], [20.0]]], [[[30.0], [40.0]]]]> : tensor<2x1x2x1xf32>
  %at = arith.constant dense<[1, 0]> : tensor<2xi64>
  %row = arith.constant dense<[1, 0]> : tensor<2xi32>
  %r = xf.cache_append %c, %f at %at row %row : (tensor<2x1x3x1xf32>, tensor<2x1x2x1xf32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2x1x3x1xf32>
  %e = arith.constant dense<[[[[30.0], [40.0], [3.0]]], [[[4.0], [10.0], [20.0]]]]> : tensor<2x1x3x1xf32>
  check.equal %r, %e : tensor<2x1x3x1xf32>
  return
}

// Absent at and row: position 0 of row n. The cache operand keeps its value.
func.func @defaults() {
  %c = arith.constant dense<[[[[1.0], [2.0]]]]> : tensor<1x1x2x1xf32>
  %f = arith.constant dense<9.0> : tensor<1x1x1x1xf32>
  %r = xf.cache_append %c, %f : (tensor<1x1x2x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x1xf32>
  %e = arith.constant dense<[[[[9.0], [2.0]]]]> : tensor<1x1x2x1xf32>
  %e0 = arith.constant dense<[[[[1.0], [2.0]]]]> : tensor<1x1x2x1xf32>
  check.equal %r, %e : tensor<1x1x2x1xf32>
  check.equal %c, %e0 : tensor<1x1x2x1xf32>
  return
}

// fresh with the length before the heads.
func.func @fresh_layout() {
  %c = arith.constant dense<0.0> : tensor<1x2x2x1xf32>
  %f = arith.constant dense<[[[[1.0], [2.0]], [[3.0], [4.0]]]]> : tensor<1x2x2x1xf32>
  %r = xf.cache_append %c, %f {fresh_layout = "bthd"} : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %e = arith.constant dense<[[[[1.0], [3.0]], [[2.0], [4.0]]]]> : tensor<1x2x2x1xf32>
  check.equal %r, %e : tensor<1x2x2x1xf32>
  return
}

plan.site 7, "cache", "row {index} ends at {value}, the cache holds {bound}"

func.func @beyond_capacity() attributes {check.fails = "row 0 ends at 3, the cache holds 2"} {
  %c = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %f = arith.constant dense<1.0> : tensor<1x1x2x1xf32>
  %at = arith.constant dense<[1]> : tensor<1xi64>
  %r = xf.cache_append %c, %f at %at {site = 7} : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1xi64>) -> tensor<1x1x2x1xf32>
  return
}

func.func @row_out_of_range() attributes {check.fails = "check 8 failed at index 0: value 3, bound 1"} {
  %c = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %f = arith.constant dense<1.0> : tensor<1x1x1x1xf32>
  %row = arith.constant dense<[3]> : tensor<1xi32>
  %r = xf.cache_append %c, %f row %row {site = 8} : (tensor<1x1x2x1xf32>, tensor<1x1x1x1xf32>, tensor<1xi32>) -> tensor<1x1x2x1xf32>
  return
}
