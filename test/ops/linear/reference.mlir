// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @bias() {
  %x = arith.constant dense<[[[1.0, 2.0]], [[0.0, -1.0]]]> : tensor<2x1x2xf32>
  %w = arith.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]> : tensor<3x2xf32>
  %b = arith.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %y = xf.linear %x, %w bias %b : (tensor<2x1x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<2x1x3xf32>
  %e = arith.constant dense<[[[11.0, 22.0, 33.0]], [[10.0, 19.0, 29.0]]]> : tensor<2x1x3xf32>
  check.equal %y, %e : tensor<2x1x3xf32>
  return
}

func.func @vector() {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %w = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %y = xf.linear %x, %w : (tensor<2xf32>, tensor<1x2xf32>) -> tensor<1xf32>
  %e = arith.constant dense<[11.0]> : tensor<1xf32>
  check.equal %y, %e : tensor<1xf32>
  return
}

func.func @activations() {
  %x = arith.constant dense<[[-0.5], [3.0]]> : tensor<2x1xf32>
  %w = arith.constant dense<1.0> : tensor<1x1xf32>
  %relu = xf.linear %x, %w {activation = "relu"} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %gelu = xf.linear %x, %w {activation = "gelu"} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %gelut = xf.linear %x, %w {activation = "gelu_tanh"} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %silu = xf.linear %x, %w {activation = "silu"} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %sig = xf.linear %x, %w {activation = "sigmoid"} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %tanh = xf.linear %x, %w {activation = "tanh"} : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %erelu = arith.constant dense<[[0.0], [3.0]]> : tensor<2x1xf32>
  %egelu = arith.constant dense<[[-0.154268769], [2.995950306]]> : tensor<2x1xf32>
  %egelut = arith.constant dense<[[-0.154285990], [2.996362608]]> : tensor<2x1xf32>
  %esilu = arith.constant dense<[[-0.188770334], [2.857722380]]> : tensor<2x1xf32>
  %esig = arith.constant dense<[[0.377540669], [0.952574127]]> : tensor<2x1xf32>
  %etanh = arith.constant dense<[[-0.462117157], [0.995054754]]> : tensor<2x1xf32>
  check.close %relu, %erelu : tensor<2x1xf32>
  check.close %gelu, %egelu : tensor<2x1xf32>
  check.close %gelut, %egelut : tensor<2x1xf32>
  check.close %silu, %esilu : tensor<2x1xf32>
  check.close %sig, %esig : tensor<2x1xf32>
  check.close %tanh, %etanh : tensor<2x1xf32>
  return
}

// f16: the sum and the bias are in float32, rounded once at the end.
func.func @half_rounds_once() {
  %x = arith.constant dense<[[256.0, 256.0]]> : tensor<1x2xf16>
  %w = arith.constant dense<[[256.0, -256.0]]> : tensor<1x2xf16>
  %b = arith.constant dense<[1.0]> : tensor<1xf16>
  %y = xf.linear %x, %w bias %b : (tensor<1x2xf16>, tensor<1x2xf16>, tensor<1xf16>) -> tensor<1x1xf16>
  %e = arith.constant dense<1.0> : tensor<1x1xf16>
  check.equal %y, %e : tensor<1x1xf16>
  return
}

func.func @relu_keeps_nan() {
  %x = arith.constant dense<[[0x7FC00000]]> : tensor<1x1xf32>
  %w = arith.constant dense<1.0> : tensor<1x1xf32>
  %y = xf.linear %x, %w {activation = "relu"} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  check.equal %y, %x : tensor<1x1xf32>
  return
}

func.func @dynamic_vector() {
  %x = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %d = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
  %w = arith.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %y = xf.linear %d, %w : (tensor<?xf32>, tensor<1x2xf32>) -> tensor<?xf32>
  %e = arith.constant dense<[11.0]> : tensor<1xf32>
  %ye = tensor.cast %y : tensor<?xf32> to tensor<1xf32>
  check.equal %ye, %e : tensor<1xf32>
  return
}
