// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// Upstream ops of the closed list, one behaviour per function.

func.func @slices() {
  %x = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  %s = tensor.extract_slice %x[1, 1] [1, 2] [1, 2] : tensor<2x4xi32> to tensor<2xi32>
  %e = arith.constant dense<[6, 8]> : tensor<2xi32>
  check.equal %s, %e : tensor<2xi32>
  %i = tensor.insert_slice %e into %x[0, 0] [1, 2] [1, 1] : tensor<2xi32> into tensor<2x4xi32>
  %ei = arith.constant dense<[[6, 8, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32>
  check.equal %i, %ei : tensor<2x4xi32>
  return
}

func.func @concat_and_pad() {
  %a = arith.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = arith.constant dense<[[3.0, 4.0], [5.0, 6.0]]> : tensor<2x2xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  %ec = arith.constant dense<[[1.0, 3.0, 4.0], [2.0, 5.0, 6.0]]> : tensor<2x3xf32>
  check.equal %c, %ec : tensor<2x3xf32>
  %z = arith.constant 9.0 : f32
  %p = tensor.pad %a low[0, 1] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<2x1xf32> to tensor<3x2xf32>
  %ep = arith.constant dense<[[9.0, 1.0], [9.0, 2.0], [9.0, 9.0]]> : tensor<3x2xf32>
  check.equal %p, %ep : tensor<3x2xf32>
  return
}

func.func @reshapes() {
  %x = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi64>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<3x2xi64> into tensor<6xi64>
  %e = tensor.expand_shape %c [[0, 1]] output_shape [2, 3] : tensor<6xi64> into tensor<2x3xi64>
  %ee = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  check.equal %e, %ee : tensor<2x3xi64>
  return
}

func.func @small_makers() {
  %v = arith.constant 2.5 : f32
  %s = tensor.splat %v : tensor<2xf32>
  %f = tensor.from_elements %v, %v : tensor<2xf32>
  check.equal %s, %f : tensor<2xf32>
  %one = arith.constant 1 : index
  %x = tensor.extract %s[%one] : tensor<2xf32>
  %t = tensor.from_elements %x : tensor<f32>
  %e = arith.constant dense<2.5> : tensor<f32>
  check.equal %t, %e : tensor<f32>
  return
}

func.func @named_linalg() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<2x3xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
  %es = arith.constant dense<[6.0, 15.0]> : tensor<2xf32>
  check.equal %sum, %es : tensor<2xf32>
  %e1 = tensor.empty() : tensor<2x2xf32>
  %b = linalg.broadcast ins(%sum : tensor<2xf32>) outs(%e1 : tensor<2x2xf32>) dimensions = [0]
  %eb = arith.constant dense<[[6.0, 15.0], [6.0, 15.0]]> : tensor<2x2xf32>
  check.equal %b, %eb : tensor<2x2xf32>
  %e2 = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e2 : tensor<3x2xf32>) permutation = [1, 0]
  %et = arith.constant dense<[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]> : tensor<3x2xf32>
  check.equal %t, %et : tensor<3x2xf32>
  return
}

// A generic that reads through maps with a constant and with arithmetic.
func.func @generic_maps() {
  %x = arith.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi32>
  %e = tensor.empty() : tensor<2x2xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, i * 2 + j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xi32>) outs(%e : tensor<2x2xi32>) {
  ^bb0(%a: i32, %o: i32):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i32
    %r = arith.muli %a, %ii : i32
    linalg.yield %r : i32
  } -> tensor<2x2xi32>
  %ey = arith.constant dense<[[0, 0], [3, 4]]> : tensor<2x2xi32>
  check.equal %y, %ey : tensor<2x2xi32>
  return
}

func.func @control() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %limit = arith.constant 100 : i64
  // 2^5, then doubled until above 100.
  %p = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %one) -> i64 {
    %n = arith.muli %a, %two : i64
    scf.yield %n : i64
  }
  %w = scf.while (%a = %p) : (i64) -> i64 {
    %m = arith.cmpi sle, %a, %limit : i64
    scf.condition(%m) %a : i64
  } do {
  ^bb0(%a: i64):
    %n = func.call @double(%a) : (i64) -> i64
    scf.yield %n : i64
  }
  %big = arith.cmpi sgt, %w, %limit : i64
  %r = scf.if %big -> i64 {
    scf.yield %w : i64
  } else {
    scf.yield %one : i64
  }
  %t = tensor.from_elements %r : tensor<i64>
  %e = arith.constant dense<128> : tensor<i64>
  check.equal %t, %e : tensor<i64>
  return
}

func.func private @double(%a: i64) -> i64 {
  %n = arith.addi %a, %a : i64
  return %n : i64
}

// Integers wrap at their width; signs are read by the op.
func.func @integers() {
  %a = arith.constant dense<[-128, 127, -1]> : tensor<3xi8>
  %m = arith.constant dense<-1> : tensor<3xi8>
  %p = arith.muli %a, %m : tensor<3xi8>
  %ep = arith.constant dense<[-128, -127, 1]> : tensor<3xi8>
  check.equal %p, %ep : tensor<3xi8>
  %u = arith.extui %a : tensor<3xi8> to tensor<3xi32>
  %eu = arith.constant dense<[128, 127, 255]> : tensor<3xi32>
  check.equal %u, %eu : tensor<3xi32>
  %s = arith.extsi %a : tensor<3xi8> to tensor<3xi32>
  %es = arith.constant dense<[-128, 127, -1]> : tensor<3xi32>
  check.equal %s, %es : tensor<3xi32>
  %lt = arith.cmpi ult, %a, %m : tensor<3xi8>
  %elt = arith.constant dense<[true, true, false]> : tensor<3xi1>
  check.equal %lt, %elt : tensor<3xi1>
  %b = arith.extsi %elt : tensor<3xi1> to tensor<3xi32>
  %eb = arith.constant dense<[-1, -1, 0]> : tensor<3xi32>
  check.equal %b, %eb : tensor<3xi32>
  %f = arith.uitofp %a : tensor<3xi8> to tensor<3xf32>
  %ef = arith.constant dense<[128.0, 127.0, 255.0]> : tensor<3xf32>
  check.equal %f, %ef : tensor<3xf32>
  return
}

func.func @floor_and_ceil_division() {
  %a = arith.constant dense<[7, -7, 7, -7]> : tensor<4xi32>
  %b = arith.constant dense<[2, 2, -2, -2]> : tensor<4xi32>
  %f = arith.floordivsi %a, %b : tensor<4xi32>
  %c = arith.ceildivsi %a, %b : tensor<4xi32>
  %d = arith.divsi %a, %b : tensor<4xi32>
  %ef = arith.constant dense<[3, -4, -4, 3]> : tensor<4xi32>
  %ec = arith.constant dense<[4, -3, -3, 4]> : tensor<4xi32>
  %ed = arith.constant dense<[3, -3, -3, 3]> : tensor<4xi32>
  check.equal %f, %ef : tensor<4xi32>
  check.equal %c, %ec : tensor<4xi32>
  check.equal %d, %ed : tensor<4xi32>
  return
}

func.func @float_extrema() {
  %a = arith.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %b = arith.constant dense<[2.0, 1.0, 0x7FC00000]> : tensor<3xf32>
  %m = arith.maximumf %a, %b : tensor<3xf32>
  %n = arith.maxnumf %a, %b : tensor<3xf32>
  %em = arith.constant dense<[2.0, 0x7FC00000, 0x7FC00000]> : tensor<3xf32>
  %en = arith.constant dense<[2.0, 1.0, 3.0]> : tensor<3xf32>
  check.equal %m, %em : tensor<3xf32>
  check.equal %n, %en : tensor<3xf32>
  return
}

func.func @extract_outside() attributes {check.fails = "tensor.extract: expected index 0 in 0..1, found 2"} {
  %x = arith.constant dense<0.0> : tensor<2xf32>
  %i = arith.constant 2 : index
  %v = tensor.extract %x[%i] : tensor<2xf32>
  return
}

func.func @slice_outside() attributes {check.fails = "tensor.extract_slice: expected a slice of axis 0 inside 0..2, found offset 1, size 2"} {
  %x = arith.constant dense<0.0> : tensor<2xf32>
  %i = arith.constant 1 : index
  %v = tensor.extract_slice %x[%i] [2] [1] : tensor<2xf32> to tensor<2xf32>
  return
}

func.func @negative_size() attributes {check.fails = "tensor.empty: expected sizes of at least 0 and at most 2^31 elements, found -1"} {
  %i = arith.constant -1 : index
  %v = tensor.empty(%i) : tensor<?xf32>
  return
}

func.func @loops_disagree() attributes {check.fails = "linalg.generic: expected loop 0 of one size, found 2 and 3 in operand 1"} {
  %a = arith.constant dense<0.0> : tensor<2xf32>
  %b = arith.constant dense<0.0> : tensor<3xf32>
  %da = tensor.cast %a : tensor<2xf32> to tensor<?xf32>
  %db = tensor.cast %b : tensor<3xf32> to tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%da : tensor<?xf32>) outs(%db : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<?xf32>
  return
}

// What nobody wrote is NaN, so reading it is seen.
func.func @empty_is_not_a_number() {
  %x = tensor.empty() : tensor<2xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<2xf32>
  check.equal %x, %nan : tensor<2xf32>
  return
}

func.func @outside_the_list() attributes {check.fails = "math.cbrt: expected an op of the closed list, found math.cbrt"} {
  %x = arith.constant dense<8.0> : tensor<2xf32>
  %y = math.cbrt %x : tensor<2xf32>
  return
}
