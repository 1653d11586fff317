// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// The best two of each row, ties to the lower id, NaN never; the rest is -inf, -1.
func.func @ranks() {
  %x = arith.constant dense<[[1.0, 5.0, 5.0, 2.0], [0x7FC00000, 1.0, 0xFF800000, 0xFF800000]]> : tensor<2x4xf32>
  %n = arith.constant dense<2> : tensor<i64>
  %z = arith.constant dense<0> : tensor<i64>
  %ei = arith.constant dense<0> : tensor<2x0xi32>
  %ev = arith.constant dense<0.0> : tensor<2x0xf32>
  %v, %i, %l = xf.select %x count %n normalize %z edits(%ei, %ei, %ev) {k = 3} : (tensor<2x4xf32>, tensor<i64>, tensor<i64>, tensor<2x0xi32>, tensor<2x0xi32>, tensor<2x0xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>, tensor<2xf32>)
  %xv = arith.constant dense<[[5.0, 5.0, 0xFF800000], [1.0, 0xFF800000, 0xFF800000]]> : tensor<2x3xf32>
  %xi = arith.constant dense<[[1, 2, -1], [1, -1, -1]]> : tensor<2x3xi32>
  %xl = arith.constant dense<[5.726631644, 0x7FC00000]> : tensor<2xf32>
  check.equal %v, %xv : tensor<2x3xf32>
  check.equal %i, %xi : tensor<2x3xi32>
  check.close %l, %xl : tensor<2xf32>
  return
}

// Edits in order: set, add, penalty of either sign; ids outside are none.
func.func @edits() {
  %x = arith.constant dense<[[4.0, -4.0, 0.0, 1.0]]> : tensor<1x4xf32>
  %n = arith.constant dense<4> : tensor<i64>
  %z = arith.constant dense<0> : tensor<i64>
  %id = arith.constant dense<[[2, 2, 0, 1, 9, -1, 3]]> : tensor<1x7xi32>
  %kind = arith.constant dense<[[1, 2, 3, 3, 1, 1, 0]]> : tensor<1x7xi32>
  %val = arith.constant dense<[[5.0, 2.0, 2.0, 2.0, 99.0, 99.0, 99.0]]> : tensor<1x7xf32>
  %v, %i, %l = xf.select %x count %n normalize %z edits(%id, %kind, %val) {k = 4} : (tensor<1x4xf32>, tensor<i64>, tensor<i64>, tensor<1x7xi32>, tensor<1x7xi32>, tensor<1x7xf32>) -> (tensor<1x4xf32>, tensor<1x4xi32>, tensor<1xf32>)
  %xv = arith.constant dense<[[7.0, 2.0, 1.0, -8.0]]> : tensor<1x4xf32>
  %xi = arith.constant dense<[[2, 0, 3, 1]]> : tensor<1x4xi32>
  check.equal %v, %xv : tensor<1x4xf32>
  check.equal %i, %xi : tensor<1x4xi32>
  return
}

// Bit 0: log-softmax before the edits; bit 1: after them. lse is after the edits.
func.func @normalize() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>
  %n = arith.constant dense<1> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %two = arith.constant dense<2> : tensor<i64>
  %three = arith.constant dense<3> : tensor<i64>
  %id = arith.constant dense<[[2]]> : tensor<1x1xi32>
  %kind = arith.constant dense<[[1]]> : tensor<1x1xi32>
  %val = arith.constant dense<[[0xFF800000]]> : tensor<1x1xf32>
  %v1, %i1, %l1 = xf.select %x count %n normalize %one edits(%id, %kind, %val) {k = 1} : (tensor<1x3xf32>, tensor<i64>, tensor<i64>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xi32>, tensor<1xf32>)
  %v2, %i2, %l2 = xf.select %x count %n normalize %two edits(%id, %kind, %val) {k = 1} : (tensor<1x3xf32>, tensor<i64>, tensor<i64>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xi32>, tensor<1xf32>)
  %v3, %i3, %l3 = xf.select %x count %n normalize %three edits(%id, %kind, %val) {k = 1} : (tensor<1x3xf32>, tensor<i64>, tensor<i64>, tensor<1x1xi32>, tensor<1x1xi32>, tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xi32>, tensor<1xf32>)
  %e1 = arith.constant dense<[[-1.407605964]]> : tensor<1x1xf32>
  %e2 = arith.constant dense<[[-0.313261688]]> : tensor<1x1xf32>
  %el1 = arith.constant dense<[-1.094344276]> : tensor<1xf32>
  %el2 = arith.constant dense<[2.313261688]> : tensor<1xf32>
  check.close %v1, %e1 : tensor<1x1xf32>
  check.close %v2, %e2 : tensor<1x1xf32>
  check.close %v3, %e2 : tensor<1x1xf32>
  check.close %l1, %el1 : tensor<1xf32>
  check.close %l2, %el2 : tensor<1xf32>
  return
}

func.func @all_minus_infinity() {
  %x = arith.constant dense<0xFF800000> : tensor<1x2xf32>
  %n = arith.constant dense<2> : tensor<i64>
  %z = arith.constant dense<0> : tensor<i64>
  %ei = arith.constant dense<0> : tensor<1x0xi32>
  %ev = arith.constant dense<0.0> : tensor<1x0xf32>
  %v, %i, %l = xf.select %x count %n normalize %z edits(%ei, %ei, %ev) {k = 2} : (tensor<1x2xf32>, tensor<i64>, tensor<i64>, tensor<1x0xi32>, tensor<1x0xi32>, tensor<1x0xf32>) -> (tensor<1x2xf32>, tensor<1x2xi32>, tensor<1xf32>)
  %xi = arith.constant dense<-1> : tensor<1x2xi32>
  %xl = arith.constant dense<[0xFF800000]> : tensor<1xf32>
  check.equal %v, %x : tensor<1x2xf32>
  check.equal %i, %xi : tensor<1x2xi32>
  check.equal %l, %xl : tensor<1xf32>
  return
}
