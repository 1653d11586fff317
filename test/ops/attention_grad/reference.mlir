// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// Expected values are central differences of the forward op, in double.

// A row that sees nothing gives exactly zero and leaves the others alone (case 1,
// fault 21).
func.func @case_1_masked_row() {
  %q = arith.constant dense<[[[[0.0, 0.0], [0.0, 0.0]]]]> : tensor<1x1x2x2xf32>
  %k = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %v = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %dout = arith.constant dense<[[[[1.0, 2.0], [0.5, -1.0]]]]> : tensor<1x1x2x2xf32>
  %out = arith.constant dense<[[[[0.0, 0.0], [2.0, 3.0]]]]> : tensor<1x1x2x2xf32>
  %lse = arith.constant dense<[[[0xFF800000, 0.693147181]]]> : tensor<1x1x2xf32>
  %mask = arith.constant dense<[[[[false, false], [true, true]]]]> : tensor<1x1x2x2xi1>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse mask %mask : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2x2xi1>) -> tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
  %eq = arith.constant dense<[[[[0.0, 0.0], [-0.353553391, -0.353553391]]]]> : tensor<1x1x2x2xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x2x2xf32>
  %ek = arith.constant dense<[[[[0.0, 0.0], [0.0, 0.0]]]]> : tensor<1x1x2x2xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x2x2xf32>
  %ev = arith.constant dense<[[[[0.25, -0.5], [0.25, -0.5]]]]> : tensor<1x1x2x2xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x2x2xf32>
  return
}

// A batch row without keys, all of it NaN, is zero; the other row has the gradient
// that it has alone, also beside a NaN behind its count (case 39 a).
func.func @case_39a_row_of_padding() {
  %q = arith.constant dense<[[[[0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000]]], [[[0.11, -0.4], [-1.33, 0.02]]]]> : tensor<2x1x2x2xf32>
  %k = arith.constant dense<[[[[0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000]]], [[[-1.13, -0.83], [0.38, 1.34], [0x7FC00000, 0x7FC00000]]]]> : tensor<2x1x3x2xf32>
  %v = arith.constant dense<[[[[0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000]]], [[[-0.57, 0.95], [-0.96, 0.24], [0x7FC00000, 0x7FC00000]]]]> : tensor<2x1x3x2xf32>
  %dout = arith.constant dense<[[[[0.14, -1.31], [-1.32, -0.88]]], [[[0.54, -0.22], [-0.56, 0.26]]]]> : tensor<2x1x2x2xf32>
  %out = arith.constant dense<[[[[0.0, 0.0], [0.0, 0.0]]], [[[-0.71757845, 0.681331539], [-0.647806755, 0.808351805]]]]> : tensor<2x1x2x2xf32>
  %lse = arith.constant dense<[[[0xFF800000, 0xFF800000]], [[0.622334666, 1.273497178]]]> : tensor<2x1x2xf32>
  %n = arith.constant dense<[0, 2]> : tensor<2xi64>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse key_count %n : (tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x3x2xf32>, tensor<2x1x3x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x2xf32>, tensor<2xi64>) -> tensor<2x1x2x2xf32>, tensor<2x1x3x2xf32>, tensor<2x1x3x2xf32>
  %eq = arith.constant dense<[[[[0.0, 0.0], [0.0, 0.0]]], [[[-0.013662362, -0.019633991], [0.005763552, 0.008282721]]]]> : tensor<2x1x2x2xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<2x1x2x2xf32>
  %ek = arith.constant dense<[[[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]], [[[0.006071778, -0.003695507], [-0.006071778, 0.003695507], [0.0, 0.0]]]]> : tensor<2x1x3x2xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<2x1x3x2xf32>
  %ev = arith.constant dense<[[[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]], [[[-0.112616872, 0.071378212], [0.092616872, -0.031378212], [0.0, 0.0]]]]> : tensor<2x1x3x2xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<2x1x3x2xf32>
  %zq = arith.constant dense<0.0> : tensor<1x1x2x2xf32>
  %rq = tensor.extract_slice %dq[0, 0, 0, 0] [1, 1, 2, 2] [1, 1, 1, 1] : tensor<2x1x2x2xf32> to tensor<1x1x2x2xf32>
  check.equal %rq, %zq : tensor<1x1x2x2xf32>
  %zk = arith.constant dense<0.0> : tensor<1x1x3x2xf32>
  %rk = tensor.extract_slice %dk[0, 0, 0, 0] [1, 1, 3, 2] [1, 1, 1, 1] : tensor<2x1x3x2xf32> to tensor<1x1x3x2xf32>
  check.equal %rk, %zk : tensor<1x1x3x2xf32>
  %zv = arith.constant dense<0.0> : tensor<1x1x3x2xf32>
  %rv = tensor.extract_slice %dv[0, 0, 0, 0] [1, 1, 3, 2] [1, 1, 1, 1] : tensor<2x1x3x2xf32> to tensor<1x1x3x2xf32>
  check.equal %rv, %zv : tensor<1x1x3x2xf32>
  return
}

// Causal alignment (case 2, a to e).
func.func @case_2a_causal_without_past() {
  %q = arith.constant dense<[[[[-0.14], [-0.6]]]]> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<[[[[0.88], [0.6], [-0.77], [0.22]]]]> : tensor<1x1x4x1xf32>
  %v = arith.constant dense<[[[[0.08], [1.13], [0.69], [-0.64]]]]> : tensor<1x1x4x1xf32>
  %dout = arith.constant dense<[[[[1.44], [-1.15]]]]> : tensor<1x1x2x1xf32>
  %out = arith.constant dense<[[[[0.08], [0.648996569]]]]> : tensor<1x1x2x1xf32>
  %lse = arith.constant dense<[[[-0.1232, 0.252671039]]]> : tensor<1x1x2xf32>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>
  %eq = arith.constant dense<[[[[0.0], [0.083931386]]]]> : tensor<1x1x2x1xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  %ek = arith.constant dense<[[[[-0.17985297], [0.17985297], [0.0], [0.0]]]]> : tensor<1x1x4x1xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x4x1xf32>
  %ev = arith.constant dense<[[[[0.913186718], [-0.623186718], [0.0], [0.0]]]]> : tensor<1x1x4x1xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x4x1xf32>
  return
}

func.func @case_2b_causal_with_past() {
  %q = arith.constant dense<[[[[-0.25], [0.77]]]]> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<[[[[-1.04], [-0.03], [-1.38], [0.5]]]]> : tensor<1x1x4x1xf32>
  %v = arith.constant dense<[[[[0.79], [0.22], [1.13], [-0.56]]]]> : tensor<1x1x4x1xf32>
  %dout = arith.constant dense<[[[[0.59], [0.28]]]]> : tensor<1x1x2x1xf32>
  %out = arith.constant dense<[[[[0.764649317], [0.042315287]]]]> : tensor<1x1x2x1xf32>
  %lse = arith.constant dense<[[[1.312768428, 1.175976003]]]> : tensor<1x1x2xf32>
  %at = arith.constant dense<2> : tensor<i64>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse offset %at {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2xf32>, tensor<i64>) -> tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>
  %eq = arith.constant dense<[[[[-0.115832012], [-0.113647294]]]]> : tensor<1x1x2x1xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  %ek = arith.constant dense<[[[[0.021023868], [0.033328071], [0.004526478], [-0.058878418]]]]> : tensor<1x1x4x1xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x4x1xf32>
  %ev = arith.constant dense<[[[[0.244676709], [0.244361195], [0.25400952], [0.126952576]]]]> : tensor<1x1x4x1xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x4x1xf32>
  return
}

func.func @case_2c_causal_with_key_count() {
  %q = arith.constant dense<[[[[0.24], [-0.13]]]]> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<[[[[1.02], [1.33], [-0.08], [0.49], [-1.32]]]]> : tensor<1x1x5x1xf32>
  %v = arith.constant dense<[[[[0.6], [0.44], [1.48], [0.97], [-0.65]]]]> : tensor<1x1x5x1xf32>
  %dout = arith.constant dense<[[[[-0.34], [0.51]]]]> : tensor<1x1x2x1xf32>
  %out = arith.constant dense<[[[[0.776949502], [0.90055566]]]]> : tensor<1x1x2x1xf32>
  %lse = arith.constant dense<[[[1.290437284, 1.299040534]]]> : tensor<1x1x2xf32>
  %n = arith.constant dense<[4]> : tensor<1xi64>
  %at = arith.constant dense<2> : tensor<i64>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse key_count %n offset %at {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x5x1xf32>, tensor<1x1x5x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2xf32>, tensor<1xi64>, tensor<i64>) -> tensor<1x1x2x1xf32>, tensor<1x1x5x1xf32>, tensor<1x1x5x1xf32>
  %eq = arith.constant dense<[[[[0.084418752], [-0.111117376]]]]> : tensor<1x1x2x1xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  %ek = arith.constant dense<[[[[0.009835725], [0.017417157], [-0.026074409], [-0.001178473], [0.0]]]]> : tensor<1x1x5x1xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x5x1xf32>
  %ev = arith.constant dense<[[[[0.002348452], [-0.011694193], [0.048806982], [0.13053876], [0.0]]]]> : tensor<1x1x5x1xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x5x1xf32>
  return
}

func.func @case_2d_causal_more_queries() {
  %q = arith.constant dense<[[[[-1.43], [-0.11], [-1.0], [-1.15]]]]> : tensor<1x1x4x1xf32>
  %k = arith.constant dense<[[[[-1.32], [0.8]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[-1.11], [-0.76]]]]> : tensor<1x1x2x1xf32>
  %dout = arith.constant dense<[[[[-0.33], [1.11], [-1.26], [-0.15]]]]> : tensor<1x1x4x1xf32>
  %out = arith.constant dense<[[[[-1.11], [-0.955313028], [-1.072491175], [-1.081887816]]]]> : tensor<1x1x4x1xf32>
  %lse = arith.constant dense<[[[1.8876, 0.728529613, 1.433356925, 1.601730068]]]> : tensor<1x1x4xf32>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
  %eq = arith.constant dense<[[[[0.0], [0.203130785], [-0.089456021], [-0.008221635]]]]> : tensor<1x1x4x1xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x4x1xf32>
  %ek = arith.constant dense<[[[[-0.036116281], [0.036116281]]]]> : tensor<1x1x2x1xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  %ev = arith.constant dense<[[[[-0.973498836], [0.343498836]]]]> : tensor<1x1x2x1xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  return
}

func.func @case_2e_empty_leading_rows() {
  %q = arith.constant dense<[[[[0.15], [1.15], [0.96], [1.09]]]]> : tensor<1x1x4x1xf32>
  %k = arith.constant dense<[[[[-0.66], [-0.25]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[-0.42], [1.15]]]]> : tensor<1x1x2x1xf32>
  %dout = arith.constant dense<[[[[1.37], [-1.05], [-0.97], [-0.8]]]]> : tensor<1x1x4x1xf32>
  %out = arith.constant dense<[[[[0.0], [0.0], [-0.42], [0.537546028]]]]> : tensor<1x1x4x1xf32>
  %lse = arith.constant dense<[[[0xFF800000, 0xFF800000, -0.6336, 0.221957107]]]> : tensor<1x1x4xf32>
  %at = arith.constant dense<-2> : tensor<i64>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse offset %at {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4xf32>, tensor<i64>) -> tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
  %eq = arith.constant dense<[[[[0.0], [0.0], [0.0], [-0.12252009]]]]> : tensor<1x1x4x1xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x4x1xf32>
  %ek = arith.constant dense<[[[[0.325724141], [-0.325724141]]]]> : tensor<1x1x2x1xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  %ev = arith.constant dense<[[[[-1.282078457], [-0.487921543]]]]> : tensor<1x1x2x1xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  return
}

// NaN in a masked key, its value, and in a row that sees nothing.
func.func @nan_masked() {
  %q = arith.constant dense<[[[[-0.8, -0.05], [0.27, -0.71], [0x7FC00000, 0x7FC00000]]]]> : tensor<1x1x3x2xf32>
  %k = arith.constant dense<[[[[-0.39, 0.2], [1.36, 0.57], [0x7FC00000, 0x7FC00000]]]]> : tensor<1x1x3x2xf32>
  %v = arith.constant dense<[[[[0.53, -1.34], [1.2, 0.84], [0x7FC00000, 0x7FC00000]]]]> : tensor<1x1x3x2xf32>
  %dout = arith.constant dense<[[[[-0.32, -0.3], [-1.19, 0.4], [0x7FC00000, 0x7FC00000]]]]> : tensor<1x1x3x2xf32>
  %out = arith.constant dense<[[[[0.53, -1.34], [0.88980332, -0.169296659], [0.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  %lse = arith.constant dense<[[[0.213546248, 0.595203658, 0xFF800000]]]> : tensor<1x1x3xf32>
  %mask = arith.constant dense<[[[[true, true, false], [true, true, false], [false, false, false]]]]> : tensor<1x1x3x3xi1>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse mask %mask {causal} : (tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3xf32>, tensor<1x1x3x3xi1>) -> tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>
  %eq = arith.constant dense<[[[[0.0, 0.0], [0.022982452, 0.004859147], [0.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x3x2xf32>
  %ek = arith.constant dense<[[[[-0.003545864, 0.009324309], [0.003545864, -0.009324309], [0.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x3x2xf32>
  %ev = arith.constant dense<[[[[-0.870946342, -0.114807952], [-0.639053658, 0.214807952], [0.0, 0.0]]]]> : tensor<1x1x3x2xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x3x2xf32>
  return
}

// The same by a bias of -inf.
func.func @infinite_bias() {
  %q = arith.constant dense<[[[[-0.87], [-1.01]]]]> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<[[[[-0.48], [-1.34]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[-1.5], [-1.05]]]]> : tensor<1x1x2x1xf32>
  %dout = arith.constant dense<[[[[-1.2], [-0.41]]]]> : tensor<1x1x2x1xf32>
  %out = arith.constant dense<[[[[0.0], [-1.05]]]]> : tensor<1x1x2x1xf32>
  %lse = arith.constant dense<[[[0xFF800000, 1.8534]]]> : tensor<1x1x2xf32>
  %bias = arith.constant dense<[[[[0xFF800000, 0xFF800000], [0xFF800000, 0.5]]]]> : tensor<1x1x2x2xf32>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse bias %bias : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
  %eq = arith.constant dense<[[[[0.0], [0.0]]]]> : tensor<1x1x2x1xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  %ek = arith.constant dense<[[[[0.0], [0.0]]]]> : tensor<1x1x2x1xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  %ev = arith.constant dense<[[[[0.0], [-0.41]]]]> : tensor<1x1x2x1xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x2x1xf32>
  return
}

// Query heads of a group add up in their key head; a bias that broadcasts gets the
// sum over what it was repeated for.
func.func @grouped_scale_softcap_bias() {
  %q = arith.constant dense<[[[[-1.42, 1.12], [0.34, -1.05]], [[-0.74, -0.46], [-0.41, -1.13]], [[1.05, 1.48], [-0.1, -0.05]], [[-1.24, -1.19], [-0.47, -0.71]]], [[[0.99, -1.02], [-1.43, 1.35]], [[0.08, -1.06], [0.13, -1.42]], [[0.08, 1.44], [1.09, 0.59]], [[-0.72, -0.4], [-1.0, 0.82]]]]> : tensor<2x4x2x2xf32>
  %k = arith.constant dense<[[[[0.1, 0.84], [-0.51, -0.83], [0.93, 1.45]], [[1.06, 0.92], [0.95, 0.72], [-0.82, 0.05]]], [[[-0.43, -1.41], [-1.42, -0.66], [-0.72, 0.58]], [[1.37, -0.16], [1.31, 1.46], [1.37, -0.41]]]]> : tensor<2x2x3x2xf32>
  %v = arith.constant dense<[[[[-0.84], [-0.82], [-0.91]], [[-0.89], [0.37], [1.2]]], [[[1.02], [-0.06], [0.46]], [[0.9], [-1.25], [0.48]]]]> : tensor<2x2x3x1xf32>
  %dout = arith.constant dense<[[[[1.23], [0.85]], [[0.75], [-0.07]], [[-0.96], [0.87]], [[-0.5], [0.9]]], [[[1.41], [-0.31]], [[-0.3], [1.34]], [[0.67], [-0.99]], [[-1.12], [-1.05]]]]> : tensor<2x4x2x1xf32>
  %out = arith.constant dense<[[[[-0.83773921], [-0.830593827]], [[-0.833478158], [-0.830580556]], [[-0.027429077], [0.14247834]], [[0.798280582], [0.666910525]]], [[[0.744054168], [0.295605401]], [[0.448428877], [0.461164455]], [[-0.745505859], [-0.448432273]], [[-0.607616643], [-0.910671408]]]]> : tensor<2x4x2x1xf32>
  %lse = arith.constant dense<[[[2.024050106, 1.784901587], [2.205624948, 2.25271946], [1.442495213, 0.7042061], [1.492282695, 1.531895141]], [[1.989494113, 1.918754057], [2.462794767, 2.543930728], [1.238649503, 1.474300318], [1.213775789, 1.564251115]]]> : tensor<2x4x2xf32>
  %bias = arith.constant dense<[[[[1.21, 0.92, -1.06]], [[0.98, 1.44, 0.47]], [[-0.45, 0.15, -1.11]], [[-1.46, 1.41, 0.45]]]]> : tensor<1x4x1x3xf32>
  %dq, %dk, %dv, %dbias = xf.attention_grad %dout, %q, %k, %v out %out %lse bias %bias {scale = 0.5, softcap = 1.0} : (tensor<2x4x2x1xf32>, tensor<2x4x2x2xf32>, tensor<2x2x3x2xf32>, tensor<2x2x3x1xf32>, tensor<2x4x2x1xf32>, tensor<2x4x2xf32>, tensor<1x4x1x3xf32>) -> tensor<2x4x2x2xf32>, tensor<2x2x3x2xf32>, tensor<2x2x3x1xf32> bias tensor<1x4x1x3xf32>
  %eq = arith.constant dense<[[[[-0.003874084, -0.006680005], [-0.002081401, -0.004193238]], [[-0.003250749, -0.005542255], [0.000191159, 0.000336629]], [[0.023152795, 0.004178874], [-0.151826653, -0.077993734]], [[0.057171459, 0.013906471], [-0.15079864, -0.053095391]]], [[[0.125318275, -0.079714933], [-0.025398495, 0.012706705]], [[-0.037918851, 0.009101263], [0.173916865, -0.007033827]], [[0.111606981, -0.093423252], [-0.107887988, 0.151696557]], [[-0.088905212, 0.268729843], [0.083061841, 0.237930839]]]]> : tensor<2x4x2x2xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<2x4x2x2xf32>
  %ek = arith.constant dense<[[[[0.001047068, 0.000663955], [-0.0058757, 0.000026164], [0.004321923, -0.00099701]], [[0.060321754, 0.075494673], [-0.047677742, -0.049064821], [-0.025400789, -0.057899627]]], [[[0.148187283, -0.221687759], [-0.170724545, 0.325807059], [-0.001739307, 0.002167064]], [[-0.078993862, 0.07114514], [-0.1576718, 0.045825003], [0.136534461, 0.031557182]]]]> : tensor<2x2x3x2xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<2x2x3x2xf32>
  %ev = arith.constant dense<[[[[1.280198863], [1.317712424], [0.162088713]], [[-0.066856145], [0.193207338], [0.183648807]]], [[[1.411946733], [0.642653388], [0.085399879]], [[-0.225078935], [-1.659495835], [-0.60542523]]]]> : tensor<2x2x3x1xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<2x2x3x1xf32>
  %ebias = arith.constant dense<[[[[0.217199826, -0.194162311, -0.023037515]], [[0.258236058, -0.252592234, -0.005643824]], [[-0.136861819, 0.102839821, 0.034021998]], [[-0.147342092, 0.688669906, -0.541327814]]]]> : tensor<1x4x1x3xf32>
  check.close %dbias, %ebias {atol = 2.0e-6} : tensor<1x4x1x3xf32>
  return
}

// A bias of every score, and a gradient of the log-sum-exp.
func.func @whole_bias_and_lse() {
  %q = arith.constant dense<[[[[0.08, 1.3], [-0.2, 1.12]]]]> : tensor<1x1x2x2xf32>
  %k = arith.constant dense<[[[[0.98, -0.87], [-0.74, -0.62], [-0.78, 0.26]]]]> : tensor<1x1x3x2xf32>
  %v = arith.constant dense<[[[[-0.72, -0.24], [-1.11, 1.23], [-0.44, -0.13]]]]> : tensor<1x1x3x2xf32>
  %dout = arith.constant dense<[[[[0.25, 1.21], [-0.24, 1.25]]]]> : tensor<1x1x2x2xf32>
  %out = arith.constant dense<[[[[-0.664846594, 0.190872002], [-0.780575862, 0.502859662]]]]> : tensor<1x1x2x2xf32>
  %lse = arith.constant dense<[[[0.866159546, 0.18376052]]]> : tensor<1x1x2xf32>
  %dlse = arith.constant dense<[[[-1.49, 0.9]]]> : tensor<1x1x2xf32>
  %bias = arith.constant dense<[[[[0.0, 0.1, 0.07], [-1.44, -0.18, -0.95]]]]> : tensor<1x1x2x3xf32>
  %dq, %dk, %dv, %dbias = xf.attention_grad %dout, %q, %k, %v out %out %lse dlse %dlse bias %bias : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2x3xf32>) -> tensor<1x1x2x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32> bias tensor<1x1x2x3xf32>
  %eq = arith.constant dense<[[[[0.315800651, 0.103319994], [-0.475791273, -0.386439532]]]]> : tensor<1x1x2x2xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x1x2x2xf32>
  %ek = arith.constant dense<[[[[-0.02236305, -0.37488007], [-0.131011944, 0.626495671], [-0.058191355, -0.908517801]]]]> : tensor<1x1x3x2xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x1x3x2xf32>
  %ev = arith.constant dense<[[[[0.029266566, 0.349473314], [-0.050330144, 0.895420415], [0.031063579, 1.215106272]]]]> : tensor<1x1x3x2xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x1x3x2xf32>
  %ebias = arith.constant dense<[[[[-0.404614873, -0.086706512, -0.998678615], [-0.003715307, 0.891711732, 0.012003574]]]]> : tensor<1x1x2x3xf32>
  check.close %dbias, %ebias {atol = 2.0e-6} : tensor<1x1x2x3xf32>
  return
}

// Regions and their reverses; two captured tensors have gradients.
func.func @regions() {
  %q = arith.constant dense<[[[[-0.98], [-0.08]], [[0.68], [0.17]]]]> : tensor<1x2x2x1xf32>
  %k = arith.constant dense<[[[[-0.52], [0.06], [0.17]], [[0.85], [-1.18], [0.18]]]]> : tensor<1x2x3x1xf32>
  %v = arith.constant dense<[[[[-0.75], [-0.67], [0.82]], [[0.02], [0.19], [0.78]]]]> : tensor<1x2x3x1xf32>
  %dout = arith.constant dense<[[[[1.24], [-0.17]], [[0.34], [0.02]]]]> : tensor<1x2x2x1xf32>
  %out = arith.constant dense<[[[[-0.360104796], [0.190181424]], [[0.018158038], [0.051300819]]]]> : tensor<1x2x2x1xf32>
  %lse = arith.constant dense<[[[0.684155206, 0.551182761], [1.348150515, 1.592361524]]]> : tensor<1x2x2xf32>
  %at = arith.constant dense<1> : tensor<i64>
  %slopes = arith.constant dense<[0.7, -0.4]> : tensor<2xf32>
  %gains = arith.constant dense<[1.5]> : tensor<1xf32>
  %dq, %dk, %dv, %dslopes, %dgains = xf.attention_grad %dout, %q, %k, %v out %out %lse offset %at captures(%slopes, %gains) {causal, score_reads = array<i64: 0, 1>}
  score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<2xf32>
    %zero = arith.constant 0 : index
    %gain = tensor.extract %gains[%zero] : tensor<1xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %bias = arith.mulf %slope, %df : f32
    %t = arith.mulf %s, %gain : f32
    %r = arith.addf %t, %bias : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %zero = arith.constant 0 : index
    %gain = tensor.extract %gains[%zero] : tensor<1xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %ds = arith.mulf %c, %gain : f32
    %dgain = arith.mulf %c, %s : f32
    %dslope = arith.mulf %c, %df : f32
    xf.yield %ds, %dslope, %h, %dgain, %zero : f32, f32, index, f32, index
  } prob {
  ^bb0(%w: f32, %b: index, %h: index, %i: index, %j: index):
    %r = arith.mulf %w, %w : f32
    xf.yield %r : f32
  } prob_reverse {
  ^bb0(%w: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %two = arith.constant 2.0 : f32
    %t = arith.mulf %two, %w : f32
    %r = arith.mulf %t, %c : f32
    xf.yield %r : f32
  }
  : (tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1x2x3x1xf32>, tensor<1x2x3x1xf32>, tensor<1x2x2x1xf32>, tensor<1x2x2xf32>, tensor<i64>, tensor<2xf32>, tensor<1xf32>) -> tensor<1x2x2x1xf32>, tensor<1x2x3x1xf32>, tensor<1x2x3x1xf32> captures tensor<1x2x2xf32>, tensor<1x2x1xf32>
  %eq = arith.constant dense<[[[[0.050446091], [-0.022226219]], [[0.00054042], [-0.000747489]]]]> : tensor<1x2x2x1xf32>
  check.close %dq, %eq {atol = 2.0e-6} : tensor<1x2x2x1xf32>
  %ek = arith.constant dense<[[[[0.083362767], [-0.089647616], [0.006284849]], [[-0.000048723], [-0.000200777], [0.000249501]]]]> : tensor<1x2x3x1xf32>
  check.close %dk, %ek {atol = 2.0e-6} : tensor<1x2x3x1xf32>
  %ev = arith.constant dense<[[[[0.355122841], [0.250860883], [-0.054197399]], [[0.295387975], [0.003074901], [0.000907383]]]]> : tensor<1x2x3x1xf32>
  check.close %dv, %ev {atol = 2.0e-6} : tensor<1x2x3x1xf32>
  %eslopes = arith.constant dense<[[[-0.010004154, 0.0], [0.0, 0.001701939]]]> : tensor<1x2x2xf32>
  check.close %dslopes, %eslopes {atol = 2.0e-6} : tensor<1x2x2xf32>
  %egains = arith.constant dense<[[[-0.031772714], [0.000160275]]]> : tensor<1x2x1xf32>
  check.close %dgains, %egains {atol = 2.0e-6} : tensor<1x2x1xf32>
  return
}
