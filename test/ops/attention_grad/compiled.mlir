// RUN: dragoman-opt %s --verify-semantics --xf-decompose -o %t
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on: one path of the kernel each. The
// seeded masks leave rows that see nothing.

// Self attention over whole sentences: layouts of the projections, key counts.
func.func @encoder(%g: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %q: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %k: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %v: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>) {
  %o, %l = xf.attention %q, %k, %v key_count %n {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?xi64>) -> (tensor<?x?x4x32xf32>, tensor<?x4x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l key_count %n {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x4x?xf32>, tensor<?xi64>) -> tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>
  return %dq, %dk, %dv : tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>
}

// Causal, and a gradient of the log-sum-exp.
func.func @decoder(%g: tensor<?x?x2x64xf32> {xf.dims = ["B", "T", "2", "64"]}, %q: tensor<?x?x2x64xf32> {xf.dims = ["B", "T", "2", "64"]}, %k: tensor<?x?x2x64xf32> {xf.dims = ["B", "T", "2", "64"]}, %v: tensor<?x?x2x64xf32> {xf.dims = ["B", "T", "2", "64"]}) -> (tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>) {
  %o, %l = xf.attention %q, %k, %v {causal, q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>) -> (tensor<?x?x2x64xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l dlse %l {causal, q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>, tensor<?x2x?xf32>, tensor<?x2x?xf32>) -> tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>
  return %dq, %dk, %dv : tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>, tensor<?x?x2x64xf32>
}

// A causal window, more queries than keys: leading rows see nothing.
func.func @window(%g: tensor<2x2x37x16xf32> {xf.dims = ["2", "2", "37", "16"]}, %q: tensor<2x2x37x16xf32> {xf.dims = ["2", "2", "37", "16"]}, %k: tensor<2x2x29x16xf32> {xf.dims = ["2", "2", "29", "16"]}, %v: tensor<2x2x29x16xf32> {xf.dims = ["2", "2", "29", "16"]}, %at: tensor<i64> {xf.dims = [], xf.domain = "range(-9,-9)"}) -> (tensor<2x2x37x16xf32>, tensor<2x2x29x16xf32>, tensor<2x2x29x16xf32>) {
  %o, %l = xf.attention %q, %k, %v offset %at {causal, left = 5} : (tensor<2x2x37x16xf32>, tensor<2x2x29x16xf32>, tensor<2x2x29x16xf32>, tensor<i64>) -> (tensor<2x2x37x16xf32>, tensor<2x2x37xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l offset %at {causal, left = 5} : (tensor<2x2x37x16xf32>, tensor<2x2x37x16xf32>, tensor<2x2x29x16xf32>, tensor<2x2x29x16xf32>, tensor<2x2x37x16xf32>, tensor<2x2x37xf32>, tensor<i64>) -> tensor<2x2x37x16xf32>, tensor<2x2x29x16xf32>, tensor<2x2x29x16xf32>
  return %dq, %dk, %dv : tensor<2x2x37x16xf32>, tensor<2x2x29x16xf32>, tensor<2x2x29x16xf32>
}

func.func @open_window(%g: tensor<1x2x65x16xf32> {xf.dims = ["1", "2", "65", "16"]}, %q: tensor<1x2x65x16xf32> {xf.dims = ["1", "2", "65", "16"]}, %k: tensor<1x2x63x16xf32> {xf.dims = ["1", "2", "63", "16"]}, %v: tensor<1x2x63x16xf32> {xf.dims = ["1", "2", "63", "16"]}) -> (tensor<1x2x65x16xf32>, tensor<1x2x63x16xf32>, tensor<1x2x63x16xf32>) {
  %o, %l = xf.attention %q, %k, %v {left = 9, right = 3} : (tensor<1x2x65x16xf32>, tensor<1x2x63x16xf32>, tensor<1x2x63x16xf32>) -> (tensor<1x2x65x16xf32>, tensor<1x2x65xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l {left = 9, right = 3} : (tensor<1x2x65x16xf32>, tensor<1x2x65x16xf32>, tensor<1x2x63x16xf32>, tensor<1x2x63x16xf32>, tensor<1x2x65x16xf32>, tensor<1x2x65xf32>) -> tensor<1x2x65x16xf32>, tensor<1x2x63x16xf32>, tensor<1x2x63x16xf32>
  return %dq, %dk, %dv : tensor<1x2x65x16xf32>, tensor<1x2x63x16xf32>, tensor<1x2x63x16xf32>
}

// A boolean mask per head and row.
func.func @mask(%g: tensor<?x2x?x8xf32> {xf.dims = ["B", "2", "T", "8"]}, %q: tensor<?x2x?x8xf32> {xf.dims = ["B", "2", "T", "8"]}, %k: tensor<?x2x?x8xf32> {xf.dims = ["B", "2", "S", "8"]}, %v: tensor<?x2x?x8xf32> {xf.dims = ["B", "2", "S", "8"]}, %m: tensor<?x1x?x?xi1> {xf.dims = ["B", "1", "T", "S"], xf.domain = "bool(0.2)"}) -> (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>) {
  %o, %l = xf.attention %q, %k, %v mask %m : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x1x?x?xi1>) -> (tensor<?x2x?x8xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l mask %m : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?xf32>, tensor<?x1x?x?xi1>) -> tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
  return %dq, %dk, %dv : tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>
}

// Grouped heads, sizes that are no multiple of 16, scale, softcap and a bias.
func.func @grouped(%g: tensor<?x4x?x24xf32> {xf.dims = ["B", "4", "T", "24"]}, %q: tensor<?x4x?x40xf32> {xf.dims = ["B", "4", "T", "40"]}, %k: tensor<?x2x?x40xf32> {xf.dims = ["B", "2", "S", "40"]}, %v: tensor<?x2x?x24xf32> {xf.dims = ["B", "2", "S", "24"]}, %b: tensor<1x4x?x?xf32> {xf.dims = ["1", "4", "T", "S"]}) -> (tensor<?x4x?x40xf32>, tensor<?x2x?x40xf32>, tensor<?x2x?x24xf32>) {
  %o, %l = xf.attention %q, %k, %v bias %b {scale = 0.25, softcap = 3.0} : (tensor<?x4x?x40xf32>, tensor<?x2x?x40xf32>, tensor<?x2x?x24xf32>, tensor<1x4x?x?xf32>) -> (tensor<?x4x?x24xf32>, tensor<?x4x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l bias %b {scale = 0.25, softcap = 3.0} : (tensor<?x4x?x24xf32>, tensor<?x4x?x40xf32>, tensor<?x2x?x40xf32>, tensor<?x2x?x24xf32>, tensor<?x4x?x24xf32>, tensor<?x4x?xf32>, tensor<1x4x?x?xf32>) -> tensor<?x4x?x40xf32>, tensor<?x2x?x40xf32>, tensor<?x2x?x24xf32>
  return %dq, %dk, %dv : tensor<?x4x?x40xf32>, tensor<?x2x?x40xf32>, tensor<?x2x?x24xf32>
}

// A score region over absolute positions, and its reverse.
func.func @score(%g: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "T", "16"]}, %q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "T", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %v: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %at: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,3)"}, %slopes: tensor<2xf32> {xf.dims = ["2"]}) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) {
  %o, %l = xf.attention %q, %k, %v offset %at captures(%slopes) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<2xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %bias = arith.mulf %slope, %df : f32
    %t = arith.mulf %s, %s : f32
    %r = arith.addf %t, %bias : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?xi64>, tensor<2xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l offset %at captures(%slopes) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<2xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %bias = arith.mulf %slope, %df : f32
    %t = arith.mulf %s, %s : f32
    %r = arith.addf %t, %bias : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %two = arith.constant 2.0 : f32
    %t = arith.mulf %two, %s : f32
    %r = arith.mulf %t, %c : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?xf32>, tensor<?xi64>, tensor<2xf32>) -> tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
  return %dq, %dk, %dv : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
}

// Lengths around vectors, tiles and blocks of keys.
func.func @lengths_1_1_16(%g: tensor<1x1x1x16xf32> {xf.dims = ["1", "1", "1", "16"]}, %q: tensor<1x1x1x16xf32> {xf.dims = ["1", "1", "1", "16"]}, %k: tensor<1x1x1x16xf32> {xf.dims = ["1", "1", "1", "16"]}, %v: tensor<1x1x1x16xf32> {xf.dims = ["1", "1", "1", "16"]}) -> (tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>) {
  %o, %l = xf.attention %q, %k, %v : (tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>) -> (tensor<1x1x1x16xf32>, tensor<1x1x1xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l : (tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>
  return %dq, %dk, %dv : tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<1x1x1x16xf32>
}

func.func @lengths_16_31_40(%g: tensor<1x1x16x40xf32> {xf.dims = ["1", "1", "16", "40"]}, %q: tensor<1x1x16x40xf32> {xf.dims = ["1", "1", "16", "40"]}, %k: tensor<1x1x31x40xf32> {xf.dims = ["1", "1", "31", "40"]}, %v: tensor<1x1x31x40xf32> {xf.dims = ["1", "1", "31", "40"]}) -> (tensor<1x1x16x40xf32>, tensor<1x1x31x40xf32>, tensor<1x1x31x40xf32>) {
  %o, %l = xf.attention %q, %k, %v : (tensor<1x1x16x40xf32>, tensor<1x1x31x40xf32>, tensor<1x1x31x40xf32>) -> (tensor<1x1x16x40xf32>, tensor<1x1x16xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l : (tensor<1x1x16x40xf32>, tensor<1x1x16x40xf32>, tensor<1x1x31x40xf32>, tensor<1x1x31x40xf32>, tensor<1x1x16x40xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16x40xf32>, tensor<1x1x31x40xf32>, tensor<1x1x31x40xf32>
  return %dq, %dk, %dv : tensor<1x1x16x40xf32>, tensor<1x1x31x40xf32>, tensor<1x1x31x40xf32>
}

func.func @lengths_5_257_16(%g: tensor<1x1x5x16xf32> {xf.dims = ["1", "1", "5", "16"]}, %q: tensor<1x1x5x16xf32> {xf.dims = ["1", "1", "5", "16"]}, %k: tensor<1x1x257x16xf32> {xf.dims = ["1", "1", "257", "16"]}, %v: tensor<1x1x257x16xf32> {xf.dims = ["1", "1", "257", "16"]}) -> (tensor<1x1x5x16xf32>, tensor<1x1x257x16xf32>, tensor<1x1x257x16xf32>) {
  %o, %l = xf.attention %q, %k, %v : (tensor<1x1x5x16xf32>, tensor<1x1x257x16xf32>, tensor<1x1x257x16xf32>) -> (tensor<1x1x5x16xf32>, tensor<1x1x5xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l : (tensor<1x1x5x16xf32>, tensor<1x1x5x16xf32>, tensor<1x1x257x16xf32>, tensor<1x1x257x16xf32>, tensor<1x1x5x16xf32>, tensor<1x1x5xf32>) -> tensor<1x1x5x16xf32>, tensor<1x1x257x16xf32>, tensor<1x1x257x16xf32>
  return %dq, %dk, %dv : tensor<1x1x5x16xf32>, tensor<1x1x257x16xf32>, tensor<1x1x257x16xf32>
}

func.func @lengths_31_65_64(%g: tensor<1x1x31x64xf32> {xf.dims = ["1", "1", "31", "64"]}, %q: tensor<1x1x31x64xf32> {xf.dims = ["1", "1", "31", "64"]}, %k: tensor<1x1x65x64xf32> {xf.dims = ["1", "1", "65", "64"]}, %v: tensor<1x1x65x64xf32> {xf.dims = ["1", "1", "65", "64"]}) -> (tensor<1x1x31x64xf32>, tensor<1x1x65x64xf32>, tensor<1x1x65x64xf32>) {
  %o, %l = xf.attention %q, %k, %v : (tensor<1x1x31x64xf32>, tensor<1x1x65x64xf32>, tensor<1x1x65x64xf32>) -> (tensor<1x1x31x64xf32>, tensor<1x1x31xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l : (tensor<1x1x31x64xf32>, tensor<1x1x31x64xf32>, tensor<1x1x65x64xf32>, tensor<1x1x65x64xf32>, tensor<1x1x31x64xf32>, tensor<1x1x31xf32>) -> tensor<1x1x31x64xf32>, tensor<1x1x65x64xf32>, tensor<1x1x65x64xf32>
  return %dq, %dk, %dv : tensor<1x1x31x64xf32>, tensor<1x1x65x64xf32>, tensor<1x1x65x64xf32>
}

// The cases of a row that sees nothing: by mask, by a count of 0 with NaN behind
// counts and in the row, by alignment, by a bias of -inf.
func.func @case_1_masked_row() -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) {
  %q = arith.constant dense<[[[[0.0, 0.0], [0.0, 0.0]]]]> : tensor<1x1x2x2xf32>
  %k = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %v = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %dout = arith.constant dense<[[[[1.0, 2.0], [0.5, -1.0]]]]> : tensor<1x1x2x2xf32>
  %out = arith.constant dense<[[[[0.0, 0.0], [2.0, 3.0]]]]> : tensor<1x1x2x2xf32>
  %lse = arith.constant dense<[[[0xFF800000, 0.693147181]]]> : tensor<1x1x2xf32>
  %mask = arith.constant dense<[[[[false, false], [true, true]]]]> : tensor<1x1x2x2xi1>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse mask %mask : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2x2xi1>) -> tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
  return %dq, %dk, %dv : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}

func.func @case_39a_row_of_padding() -> (tensor<2x1x2x2xf32>, tensor<2x1x3x2xf32>, tensor<2x1x3x2xf32>) {
  %q = arith.constant dense<[[[[0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000]]], [[[0.11, -0.4], [-1.33, 0.02]]]]> : tensor<2x1x2x2xf32>
  %k = arith.constant dense<[[[[0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000]]], [[[-1.13, -0.83], [0.38, 1.34], [0x7FC00000, 0x7FC00000]]]]> : tensor<2x1x3x2xf32>
  %v = arith.constant dense<[[[[0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000], [0x7FC00000, 0x7FC00000]]], [[[-0.57, 0.95], [-0.96, 0.24], [0x7FC00000, 0x7FC00000]]]]> : tensor<2x1x3x2xf32>
  %dout = arith.constant dense<[[[[0.14, -1.31], [-1.32, -0.88]]], [[[0.54, -0.22], [-0.56, 0.26]]]]> : tensor<2x1x2x2xf32>
  %out = arith.constant dense<[[[[0.0, 0.0], [0.0, 0.0]]], [[[-0.71757845, 0.681331539], [-0.647806755, 0.808351805]]]]> : tensor<2x1x2x2xf32>
  %lse = arith.constant dense<[[[0xFF800000, 0xFF800000]], [[0.622334666, 1.273497178]]]> : tensor<2x1x2xf32>
  %n = arith.constant dense<[0, 2]> : tensor<2xi64>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse key_count %n : (tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x3x2xf32>, tensor<2x1x3x2xf32>, tensor<2x1x2x2xf32>, tensor<2x1x2xf32>, tensor<2xi64>) -> tensor<2x1x2x2xf32>, tensor<2x1x3x2xf32>, tensor<2x1x3x2xf32>
  return %dq, %dk, %dv : tensor<2x1x2x2xf32>, tensor<2x1x3x2xf32>, tensor<2x1x3x2xf32>
}

func.func @case_2e_empty_leading_rows() -> (tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) {
  %q = arith.constant dense<[[[[-0.14], [-0.6], [0.88], [0.6]]]]> : tensor<1x1x4x1xf32>
  %k = arith.constant dense<[[[[-0.77], [0.22]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[0.08], [1.13]]]]> : tensor<1x1x2x1xf32>
  %dout = arith.constant dense<[[[[0.69], [-0.64], [1.44], [-1.15]]]]> : tensor<1x1x4x1xf32>
  %out = arith.constant dense<[[[[0.0], [0.0], [0.08], [0.756496524]]]]> : tensor<1x1x4x1xf32>
  %lse = arith.constant dense<[[[0xFF800000, 0xFF800000, -0.6776, 0.571618133]]]> : tensor<1x1x4xf32>
  %at = arith.constant dense<-2> : tensor<i64>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse offset %at {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4xf32>, tensor<i64>) -> tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
  return %dq, %dk, %dv : tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
}

func.func @infinite_bias() -> (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) {
  %q = arith.constant dense<[[[[-0.25], [0.77]]]]> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<[[[[-1.04], [-0.03]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[-1.38], [0.5]]]]> : tensor<1x1x2x1xf32>
  %dout = arith.constant dense<[[[[0.79], [0.22]]]]> : tensor<1x1x2x1xf32>
  %out = arith.constant dense<[[[[0.0], [0.5]]]]> : tensor<1x1x2x1xf32>
  %lse = arith.constant dense<[[[0xFF800000, 0.4769]]]> : tensor<1x1x2xf32>
  %bias = arith.constant dense<[[[[0xFF800000, 0xFF800000], [0xFF800000, 0.5]]]]> : tensor<1x1x2x2xf32>
  %dq, %dk, %dv = xf.attention_grad %dout, %q, %k, %v out %out %lse bias %bias : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2xf32>, tensor<1x1x2x2xf32>) -> tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
  return %dq, %dk, %dv : tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>
}

// ALiBi: a slope for each head times the distance.
func.func @alibi(%g: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %v: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %t: tensor<2xf32> {xf.dims = ["2"]}) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x2xf32>) {
  %o, %l = xf.attention %q, %k, %v captures(%t) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %t[%h] : tensor<2xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %x = arith.mulf %slope, %df : f32
    %r = arith.addf %s, %x : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<2xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv, %dt = xf.attention_grad %g, %q, %k, %v out %o %l captures(%t) {causal, score_reads = array<i64: 0>} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %t[%h] : tensor<2xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %x = arith.mulf %slope, %df : f32
    %r = arith.addf %s, %x : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %x = arith.mulf %c, %df : f32
    xf.yield %c, %x, %h : f32, f32, index
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?xf32>, tensor<2xf32>) -> tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32> captures tensor<?x2x2xf32>
  return %dq, %dk, %dv, %dt : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x2xf32>
}

// A softcap written as a region.
func.func @softcap_region(%g: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %v: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) {
  %o, %l = xf.attention %q, %k, %v score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 1.5 : f32
    %q1 = arith.divf %s, %cap : f32
    %t1 = math.tanh %q1 : f32
    %r = arith.mulf %t1, %cap : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 1.5 : f32
    %q1 = arith.divf %s, %cap : f32
    %t1 = math.tanh %q1 : f32
    %r = arith.mulf %t1, %cap : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %cap = arith.constant 1.5 : f32
    %q1 = arith.divf %s, %cap : f32
    %t1 = math.tanh %q1 : f32
    %t2 = arith.mulf %t1, %t1 : f32
    %one = arith.constant 1.0 : f32
    %sl = arith.subf %one, %t2 : f32
    %r = arith.mulf %c, %sl : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?xf32>) -> tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
  return %dq, %dk, %dv : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
}

// A table of learned biases by clamped distance.
func.func @relative_table(%g: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %v: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %t: tensor<5xf32> {xf.dims = ["5"]}) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x5xf32>) {
  %o, %l = xf.attention %q, %k, %v captures(%t) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %d = arith.subi %j, %i : index
    %low = arith.constant -2 : index
    %high = arith.constant 2 : index
    %d1 = arith.maxsi %d, %low : index
    %d2 = arith.minsi %d1, %high : index
    %n2 = arith.addi %d2, %high : index
    %x = tensor.extract %t[%n2] : tensor<5xf32>
    %r = arith.addf %s, %x : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<5xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv, %dt = xf.attention_grad %g, %q, %k, %v out %o %l captures(%t) {causal, score_reads = array<i64: 0>} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %d = arith.subi %j, %i : index
    %low = arith.constant -2 : index
    %high = arith.constant 2 : index
    %d1 = arith.maxsi %d, %low : index
    %d2 = arith.minsi %d1, %high : index
    %n2 = arith.addi %d2, %high : index
    %x = tensor.extract %t[%n2] : tensor<5xf32>
    %r = arith.addf %s, %x : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %d = arith.subi %j, %i : index
    %low = arith.constant -2 : index
    %high = arith.constant 2 : index
    %d1 = arith.maxsi %d, %low : index
    %d2 = arith.minsi %d1, %high : index
    %n2 = arith.addi %d2, %high : index
    xf.yield %c, %c, %n2 : f32, f32, index
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?xf32>, tensor<5xf32>) -> tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32> captures tensor<?x2x5xf32>
  return %dq, %dk, %dv, %dt : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x5xf32>
}

// A window written as a region.
func.func @sliding_window(%g: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %v: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) {
  %o, %l = xf.attention %q, %k, %v {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ninf = arith.constant 0xFF800000 : f32
    %d = arith.subi %i, %j : index
    %two = arith.constant 2 : index
    %near = arith.cmpi sle, %d, %two : index
    %r = arith.select %near, %s, %ninf : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ninf = arith.constant 0xFF800000 : f32
    %d = arith.subi %i, %j : index
    %two = arith.constant 2 : index
    %near = arith.cmpi sle, %d, %two : index
    %r = arith.select %near, %s, %ninf : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %zero = arith.constant 0.0 : f32
    %d = arith.subi %i, %j : index
    %two = arith.constant 2 : index
    %near = arith.cmpi sle, %d, %two : index
    %r = arith.select %near, %c, %zero : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?xf32>) -> tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
  return %dq, %dk, %dv : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
}

// A prefix that all see, causal behind it.
func.func @prefix_lm(%g: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %v: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %t: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,3)"}) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) {
  %o, %l = xf.attention %q, %k, %v captures(%t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ninf = arith.constant 0xFF800000 : f32
    %p = tensor.extract %t[%b] : tensor<?xi64>
    %ji = arith.index_cast %j : index to i64
    %in = arith.cmpi slt, %ji, %p : i64
    %past = arith.cmpi sle, %j, %i : index
    %see = arith.ori %in, %past : i1
    %r = arith.select %see, %s, %ninf : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?xi64>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l captures(%t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ninf = arith.constant 0xFF800000 : f32
    %p = tensor.extract %t[%b] : tensor<?xi64>
    %ji = arith.index_cast %j : index to i64
    %in = arith.cmpi slt, %ji, %p : i64
    %past = arith.cmpi sle, %j, %i : index
    %see = arith.ori %in, %past : i1
    %r = arith.select %see, %s, %ninf : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %zero = arith.constant 0.0 : f32
    %p = tensor.extract %t[%b] : tensor<?xi64>
    %ji = arith.index_cast %j : index to i64
    %in = arith.cmpi slt, %ji, %p : i64
    %past = arith.cmpi sle, %j, %i : index
    %see = arith.ori %in, %past : i1
    %r = arith.select %see, %c, %zero : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?xf32>, tensor<?xi64>) -> tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
  return %dq, %dk, %dv : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
}

// Several documents in a row.
func.func @documents(%g: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %v: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %t: tensor<?x?xi64> {xf.dims = ["B", "S"], xf.domain = "range(0,2)"}) -> (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) {
  %o, %l = xf.attention %q, %k, %v captures(%t) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ninf = arith.constant 0xFF800000 : f32
    %di = tensor.extract %t[%b, %i] : tensor<?x?xi64>
    %dj = tensor.extract %t[%b, %j] : tensor<?x?xi64>
    %same = arith.cmpi eq, %di, %dj : i64
    %r = arith.select %same, %s, %ninf : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x?xi64>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l captures(%t) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ninf = arith.constant 0xFF800000 : f32
    %di = tensor.extract %t[%b, %i] : tensor<?x?xi64>
    %dj = tensor.extract %t[%b, %j] : tensor<?x?xi64>
    %same = arith.cmpi eq, %di, %dj : i64
    %r = arith.select %same, %s, %ninf : f32
    xf.yield %r : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    %zero = arith.constant 0.0 : f32
    %di = tensor.extract %t[%b, %i] : tensor<?x?xi64>
    %dj = tensor.extract %t[%b, %j] : tensor<?x?xi64>
    %same = arith.cmpi eq, %di, %dj : i64
    %r = arith.select %same, %c, %zero : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?xf32>, tensor<?x?xi64>) -> tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
  return %dq, %dk, %dv : tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>
}

// Dropout, over more than one block of keys.
func.func @dropout(%g: tensor<?x?x1x16xf32> {xf.dims = ["B", "T", "1", "16"]}, %q: tensor<?x?x1x16xf32> {xf.dims = ["B", "T", "1", "16"]}, %k: tensor<?x259x1x16xf32> {xf.dims = ["B", "259", "1", "16"]}, %v: tensor<?x259x1x16xf32> {xf.dims = ["B", "259", "1", "16"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(200,259)"}, %seed: tensor<i64> {xf.domain = "range(5,5)"}, %keys: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,99)"}) -> (tensor<?x?x1x16xf32>, tensor<?x?x1x16xf32>, tensor<?x259x1x16xf32>, tensor<?x259x1x16xf32>) {
  %o, %l = xf.attention %q, %k, %v key_count %n seed %seed row_key %keys {dropout = 0.3, site = 7, q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x1x16xf32>, tensor<?x259x1x16xf32>, tensor<?x259x1x16xf32>, tensor<?xi64>, tensor<i64>, tensor<?xi64>) -> (tensor<?x?x1x16xf32>, tensor<?x1x?xf32>)
  %dq, %dk, %dv = xf.attention_grad %g, %q, %k, %v out %o %l key_count %n seed %seed row_key %keys {dropout = 0.3, site = 7, q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x1x16xf32>, tensor<?x?x1x16xf32>, tensor<?x259x1x16xf32>, tensor<?x259x1x16xf32>, tensor<?x?x1x16xf32>, tensor<?x1x?xf32>, tensor<?xi64>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x1x16xf32>, tensor<?x259x1x16xf32>, tensor<?x259x1x16xf32>
  return %o, %dq, %dk, %dv : tensor<?x?x1x16xf32>, tensor<?x?x1x16xf32>, tensor<?x259x1x16xf32>, tensor<?x259x1x16xf32>
}
