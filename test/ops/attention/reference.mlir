// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// A row that sees nothing is exactly zero, also next to rows that see (iree #24175).
func.func @masked_row_is_zero() {
  %q = arith.constant dense<0.0> : tensor<1x1x2x2xf32>
  %k = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %m = arith.constant dense<[[[[false, false], [true, true]]]]> : tensor<1x1x2x2xi1>
  %o, %l = xf.attention %q, %k, %k mask %m : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xi1>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  %eo = arith.constant dense<[[[[0.0, 0.0], [2.0, 3.0]]]]> : tensor<1x1x2x2xf32>
  %el = arith.constant dense<[[[0xFF800000, 0.6931471805599453]]]> : tensor<1x1x2xf32>
  check.equal %o, %eo : tensor<1x1x2x2xf32>
  check.close %l, %el : tensor<1x1x2xf32>
  return
}

// The same with the mask as a float bias of -inf.
func.func @infinite_bias_is_zero() {
  %q = arith.constant dense<0.0> : tensor<1x1x2x2xf32>
  %k = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %m = arith.constant dense<[[[[0xFF800000, 0xFF800000], [0.0, 0.0]]]]> : tensor<1x1x2x2xf32>
  %o, %l = xf.attention %q, %k, %k bias %m : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  %eo = arith.constant dense<[[[[0.0, 0.0], [2.0, 3.0]]]]> : tensor<1x1x2x2xf32>
  check.equal %o, %eo : tensor<1x1x2x2xf32>
  return
}

// An all-true mask with causal: the second row sees both keys.
func.func @causal_with_full_mask() {
  %q = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[1.0], [3.0]]]]> : tensor<1x1x2x1xf32>
  %m = arith.constant dense<true> : tensor<1x1x2x2xi1>
  %o, %l = xf.attention %q, %k, %v mask %m {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x2xi1>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %eo = arith.constant dense<[[[[1.0], [2.0]]]]> : tensor<1x1x2x1xf32>
  check.equal %o, %eo : tensor<1x1x2x1xf32>
  return
}

// Causal alignment of q shorter than k (onnxruntime #29020): without past from
// the first key, with an offset from the past's end.
func.func @causal_without_past() {
  %q = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<0.0> : tensor<1x1x4x1xf32>
  %v = arith.constant dense<[[[[0.0], [3.0], [6.0], [9.0]]]]> : tensor<1x1x4x1xf32>
  %o, %l = xf.attention %q, %k, %v {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %eo = arith.constant dense<[[[[0.0], [1.5]]]]> : tensor<1x1x2x1xf32>
  check.equal %o, %eo : tensor<1x1x2x1xf32>
  return
}

func.func @causal_with_past() {
  %q = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<0.0> : tensor<1x1x4x1xf32>
  %v = arith.constant dense<[[[[0.0], [3.0], [6.0], [9.0]]]]> : tensor<1x1x4x1xf32>
  %p = arith.constant dense<2> : tensor<i64>
  %o, %l = xf.attention %q, %k, %v offset %p {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<i64>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %eo = arith.constant dense<[[[[3.0], [4.5]]]]> : tensor<1x1x2x1xf32>
  check.close %o, %eo : tensor<1x1x2x1xf32>
  return
}

func.func @causal_with_key_count() {
  %q = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<0.0> : tensor<1x1x4x1xf32>
  %v = arith.constant dense<[[[[0.0], [3.0], [6.0], [9.0]]]]> : tensor<1x1x4x1xf32>
  %p = arith.constant dense<[2]> : tensor<1xi64>
  %n = arith.constant dense<[4]> : tensor<1xi32>
  %o, %l = xf.attention %q, %k, %v key_count %n offset %p {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1xi32>, tensor<1xi64>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %eo = arith.constant dense<[[[[3.0], [4.5]]]]> : tensor<1x1x2x1xf32>
  check.close %o, %eo : tensor<1x1x2x1xf32>
  return
}

// More queries than keys: without cache every later row sees all keys; with a
// negative offset the leading rows see none.
func.func @causal_more_queries() {
  %q = arith.constant dense<0.0> : tensor<1x1x4x1xf32>
  %k = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[2.0], [4.0]]]]> : tensor<1x1x2x1xf32>
  %o, %l = xf.attention %q, %k, %v {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x1x4x1xf32>, tensor<1x1x4xf32>)
  %eo = arith.constant dense<[[[[2.0], [3.0], [3.0], [3.0]]]]> : tensor<1x1x4x1xf32>
  check.equal %o, %eo : tensor<1x1x4x1xf32>
  return
}

func.func @causal_empty_leading_rows() {
  %q = arith.constant dense<0.0> : tensor<1x1x4x1xf32>
  %k = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[2.0], [4.0]]]]> : tensor<1x1x2x1xf32>
  %p = arith.constant dense<-2> : tensor<i64>
  %o, %l = xf.attention %q, %k, %v offset %p {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<i64>) -> (tensor<1x1x4x1xf32>, tensor<1x1x4xf32>)
  %eo = arith.constant dense<[[[[0.0], [0.0], [2.0], [3.0]]]]> : tensor<1x1x4x1xf32>
  check.equal %o, %eo : tensor<1x1x4x1xf32>
  return
}

// A window of one key to the left and none to the right.
func.func @window() {
  %q = arith.constant dense<0.0> : tensor<1x1x3x1xf32>
  %v = arith.constant dense<[[[[1.0], [3.0], [7.0]]]]> : tensor<1x1x3x1xf32>
  %o, %l = xf.attention %q, %q, %v {left = 1, right = 0} : (tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>) -> (tensor<1x1x3x1xf32>, tensor<1x1x3xf32>)
  %eo = arith.constant dense<[[[[1.0], [2.0], [5.0]]]]> : tensor<1x1x3x1xf32>
  check.equal %o, %eo : tensor<1x1x3x1xf32>
  return
}

// Masked keys have no influence even if they are NaN.
func.func @masked_nan_has_no_influence() {
  %q = arith.constant dense<1.0> : tensor<1x1x1x1xf32>
  %k = arith.constant dense<[[[[0.0], [0x7FC00000]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[5.0], [0x7FC00000]]]]> : tensor<1x1x2x1xf32>
  %n = arith.constant dense<[1]> : tensor<1xi64>
  %o, %l = xf.attention %q, %k, %v key_count %n : (tensor<1x1x1x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1xi64>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>)
  %eo = arith.constant dense<5.0> : tensor<1x1x1x1xf32>
  %el = arith.constant dense<0.0> : tensor<1x1x1xf32>
  check.equal %o, %eo : tensor<1x1x1x1xf32>
  check.equal %l, %el : tensor<1x1x1xf32>
  return
}

// A visible NaN is poison for its row only.
func.func @visible_nan_is_poison() {
  %q = arith.constant dense<[[[[0.0], [1.0]]]]> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<[[[[0.0], [0x7FC00000]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[5.0], [7.0]]]]> : tensor<1x1x2x1xf32>
  %o, %l = xf.attention %q, %k, %v {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %eo = arith.constant dense<[[[[5.0], [0x7FC00000]]]]> : tensor<1x1x2x1xf32>
  check.equal %o, %eo : tensor<1x1x2x1xf32>
  return
}

// Two query heads share a key head; scale, softcap and bias in this order.
func.func @grouped_scale_softcap_bias() {
  %q = arith.constant dense<[[[[2.0]], [[-1.0]], [[1.0]], [[3.0]]]]> : tensor<1x4x1x1xf32>
  %k = arith.constant dense<[[[[1.0], [2.0]], [[0.5], [-0.5]]]]> : tensor<1x2x2x1xf32>
  %v = arith.constant dense<[[[[1.0], [0.0]], [[0.0], [1.0]]]]> : tensor<1x2x2x1xf32>
  %b = arith.constant dense<[[[[0.0, 0.25]]]]> : tensor<1x1x1x2xf32>
  %o, %l = xf.attention %q, %k, %v bias %b {scale = 0.5, softcap = 1.0} : (tensor<1x4x1x1xf32>, tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1x1x1x2xf32>) -> (tensor<1x4x1x1xf32>, tensor<1x4x1xf32>)
  %eo = arith.constant dense<[[[[0.388782354]], [[0.512366727]], [[0.440326440]], [[0.264969376]]]]> : tensor<1x4x1x1xf32>
  %el = arith.constant dense<[[[1.706329750], [0.206597489], [0.825320256], [0.942992068]]]> : tensor<1x4x1xf32>
  check.close %o, %eo {atol = 1.0e-6} : tensor<1x4x1x1xf32>
  check.close %l, %el {atol = 1.0e-6} : tensor<1x4x1xf32>
  return
}

// Layouts: the same values with the length before the heads.
func.func @layouts() {
  %q = arith.constant dense<[[[[1.0], [2.0]], [[3.0], [4.0]], [[0.0], [0.5]]]]> : tensor<1x3x2x1xf32>
  %kv = arith.constant dense<[[[[1.0], [-1.0]], [[0.5], [2.0]], [[-0.5], [0.0]]]]> : tensor<1x3x2x1xf32>
  %o, %l = xf.attention %q, %kv, %kv {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>) -> (tensor<1x3x2x1xf32>, tensor<1x2x3xf32>)
  %qh = arith.constant dense<[[[[1.0], [3.0], [0.0]], [[2.0], [4.0], [0.5]]]]> : tensor<1x2x3x1xf32>
  %kvh = arith.constant dense<[[[[1.0], [0.5], [-0.5]], [[-1.0], [2.0], [0.0]]]]> : tensor<1x2x3x1xf32>
  %oh, %lh = xf.attention %qh, %kvh, %kvh : (tensor<1x2x3x1xf32>, tensor<1x2x3x1xf32>, tensor<1x2x3x1xf32>) -> (tensor<1x2x3x1xf32>, tensor<1x2x3xf32>)
  %empty = tensor.empty() : tensor<1x3x2x1xf32>
  %t = linalg.transpose ins(%oh : tensor<1x2x3x1xf32>) outs(%empty : tensor<1x3x2x1xf32>) permutation = [0, 2, 1, 3]
  check.equal %o, %t : tensor<1x3x2x1xf32>
  check.equal %l, %lh : tensor<1x2x3xf32>
  return
}

// Key j of row r lies in cache row rows[r,j]; the last key is beyond the count
// and its row entry is never looked at.
func.func @rows() {
  %q = arith.constant dense<0.0> : tensor<2x1x1x1xf32>
  %k = arith.constant dense<0.0> : tensor<3x1x3x1xf32>
  %v = arith.constant dense<[[[[1.0], [2.0], [3.0]]], [[[10.0], [20.0], [30.0]]], [[[100.0], [200.0], [300.0]]]]> : tensor<3x1x3x1xf32>
  %r = arith.constant dense<[[0, 2, 99], [1, 1, 0]]> : tensor<2x3xi32>
  %n = arith.constant dense<[2, 3]> : tensor<2xi64>
  %o, %l = xf.attention %q, %k, %v key_count %n rows %r : (tensor<2x1x1x1xf32>, tensor<3x1x3x1xf32>, tensor<3x1x3x1xf32>, tensor<2xi64>, tensor<2x3xi32>) -> (tensor<2x1x1x1xf32>, tensor<2x1x1xf32>)
  %eo = arith.constant dense<[[[[100.5]]], [[[11.0]]]]> : tensor<2x1x1x1xf32>
  check.close %o, %eo : tensor<2x1x1x1xf32>
  return
}

// One column of rows holds for all keys, and panels keep the logical type.
func.func @rows_of_one_column() {
  %q = arith.constant dense<0.0> : tensor<2x1x1x1xf32>
  %k = arith.constant dense<0.0> : tensor<2x1x2x1xf32>
  %v = arith.constant dense<[[[[1.0], [2.0]]], [[[10.0], [20.0]]]]> : tensor<2x1x2x1xf32>
  %r = arith.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %o, %l = xf.attention %q, %k, %v rows %r {k_layout = "panel16"} : (tensor<2x1x1x1xf32>, tensor<2x1x2x1xf32>, tensor<2x1x2x1xf32>, tensor<2x1xi32>) -> (tensor<2x1x1x1xf32>, tensor<2x1x1xf32>)
  %eo = arith.constant dense<[[[[15.0]]], [[[1.5]]]]> : tensor<2x1x1x1xf32>
  check.equal %o, %eo : tensor<2x1x1x1xf32>
  return
}

// Regions get absolute positions: an ALiBi-like score and a probability that
// keeps only the key at the row's own position.
func.func @regions() {
  %q = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<0.0> : tensor<1x1x3x1xf32>
  %v = arith.constant dense<[[[[1.0], [2.0], [4.0]]]]> : tensor<1x1x3x1xf32>
  %p = arith.constant dense<1> : tensor<i64>
  %slopes = arith.constant dense<[0.6931471805599453]> : tensor<1xf32>
  %o, %l = xf.attention %q, %k, %v offset %p captures(%slopes) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<1xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %bias = arith.mulf %slope, %df : f32
    %r = arith.addf %s, %bias : f32
    xf.yield %r : f32
  } prob {
  ^bb0(%w: f32, %b: index, %h: index, %i: index, %j: index):
    %own = arith.cmpi eq, %i, %j : index
    %zero = arith.constant 0.0 : f32
    %r = arith.select %own, %w, %zero : f32
    xf.yield %r : f32
  } : (tensor<1x1x2x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>, tensor<i64>, tensor<1xf32>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  // Weights 1/3, 2/3 and 1/7, 2/7, 4/7; only the last of each row is kept.
  %eo = arith.constant dense<[[[[1.3333333333], [2.2857142857]]]]> : tensor<1x1x2x1xf32>
  check.close %o, %eo : tensor<1x1x2x1xf32>
  return
}

// A mask whose last axis is shorter than S is false beyond it.
func.func @short_mask() {
  %q = arith.constant dense<0.0> : tensor<1x1x1x1xf32>
  %k = arith.constant dense<0.0> : tensor<1x1x3x1xf32>
  %v = arith.constant dense<[[[[1.0], [3.0], [100.0]]]]> : tensor<1x1x3x1xf32>
  %m = arith.constant dense<true> : tensor<1x1x1x2xi1>
  %md = tensor.cast %m : tensor<1x1x1x2xi1> to tensor<1x1x1x?xi1>
  %o, %l = xf.attention %q, %k, %v mask %md : (tensor<1x1x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x1x?xi1>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>)
  %eo = arith.constant dense<2.0> : tensor<1x1x1x1xf32>
  check.equal %o, %eo : tensor<1x1x1x1xf32>
  return
}

// f16: scores beyond the type's range are sums in float32, so no row is NaN.
func.func @half_scores_in_float() {
  %q = arith.constant dense<256.0> : tensor<1x1x1x2xf16>
  %k = arith.constant dense<[[[[256.0, 256.0], [0.0, 0.0]]]]> : tensor<1x1x2x2xf16>
  %v = arith.constant dense<[[[[1.0], [3.0]]]]> : tensor<1x1x2x1xf16>
  %o, %l = xf.attention %q, %k, %v {scale = 1.0} : (tensor<1x1x1x2xf16>, tensor<1x1x2x2xf16>, tensor<1x1x2x1xf16>) -> (tensor<1x1x1x1xf16>, tensor<1x1x1xf32>)
  %eo = arith.constant dense<1.0> : tensor<1x1x1x1xf16>
  %el = arith.constant dense<131072.0> : tensor<1x1x1xf32>
  check.equal %o, %eo : tensor<1x1x1x1xf16>
  check.equal %l, %el : tensor<1x1x1xf32>
  return
}

// Dropout of the weights draws as xf.dropout does for them: the values are a unit
// matrix, so that the result is the weights.
func.func @dropout() {
  %q = arith.constant dense<[[[[0.5], [1.0], [-1.0]], [[0.0], [2.0], [0.25]]], [[[-0.5], [0.75], [1.5]], [[3.0], [0.1], [-2.0]]]]> : tensor<2x2x3x1xf32>
  %k = arith.constant dense<[[[[0.5], [1.0], [-1.0], [0.1]], [[0.0], [2.0], [0.25], [0.2]]], [[[-0.5], [0.75], [1.5], [0.3]], [[3.0], [0.1], [-2.0], [0.4]]]]> : tensor<2x2x4x1xf32>
  %unit = arith.constant dense<[[[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]], [[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]]]> : tensor<2x2x4x4xf32>
  %seed = arith.constant dense<77> : tensor<i64>
  %keys = arith.constant dense<[3, 4000000000]> : tensor<2xi64>
  %w, %l0 = xf.attention %q, %k, %unit : (tensor<2x2x3x1xf32>, tensor<2x2x4x1xf32>, tensor<2x2x4x4xf32>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>)
  %e = xf.dropout %w seed %seed row_key %keys {p = 0.5, site = 9} : (tensor<2x2x3x4xf32>, tensor<i64>, tensor<2xi64>) -> tensor<2x2x3x4xf32>
  %o, %l = xf.attention %q, %k, %unit seed %seed row_key %keys {dropout = 0.5, site = 9} : (tensor<2x2x3x1xf32>, tensor<2x2x4x1xf32>, tensor<2x2x4x4xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<2x2x3x4xf32>, tensor<2x2x3xf32>)
  check.close %o, %e : tensor<2x2x3x4xf32>
  check.equal %l, %l0 : tensor<2x2x3xf32>
  return
}
