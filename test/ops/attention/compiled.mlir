// RUN: dragoman-opt %s --verify-semantics --xf-decompose -o %t
// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on: one path of the kernel each. The
// seeded masks leave rows that see nothing.

// Self attention over whole sentences: layouts of the projections, key counts.
func.func @encoder(%q: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %k: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %v: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> tensor<?x?x4x32xf32> {
  %o, %l = xf.attention %q, %k, %v key_count %n {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?xi64>) -> (tensor<?x?x4x32xf32>, tensor<?x4x?xf32>)
  return %o : tensor<?x?x4x32xf32>
}

// A decode step: causal with positions, cache rows by a table, one count a row.
func.func @decoder(%q: tensor<?x?x4x32xf32> {xf.dims = ["R", "T", "4", "32"]}, %k: tensor<?x4x?x32xf32> {xf.dims = ["Rows", "4", "Cap", "32"]}, %v: tensor<?x4x?x32xf32> {xf.dims = ["Rows", "4", "Cap", "32"]}, %n: tensor<?xi64> {xf.dims = ["R"], xf.domain = "length(K)"}, %at: tensor<?xi64> {xf.dims = ["R"], xf.domain = "position(K-T)"}, %rows: tensor<?x?xi32> {xf.dims = ["R", "K"], xf.domain = "ids(Rows)"}) -> tensor<?x?x4x32xf32> {
  %o, %l = xf.attention %q, %k, %v key_count %n offset %at rows %rows {causal, q_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x4x32xf32>, tensor<?x4x?x32xf32>, tensor<?x4x?x32xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?x?xi32>) -> (tensor<?x?x4x32xf32>, tensor<?x4x?xf32>)
  return %o : tensor<?x?x4x32xf32>
}

// A causal window, more queries than keys: leading rows see nothing.
func.func @window(%q: tensor<2x2x37x16xf32> {xf.dims = ["2", "2", "37", "16"]}, %k: tensor<2x2x29x16xf32> {xf.dims = ["2", "2", "29", "16"]}, %at: tensor<i64> {xf.dims = [], xf.domain = "range(-9,-9)"}) -> tensor<2x2x37x16xf32> {
  %o, %l = xf.attention %q, %k, %k offset %at {causal, left = 5} : (tensor<2x2x37x16xf32>, tensor<2x2x29x16xf32>, tensor<2x2x29x16xf32>, tensor<i64>) -> (tensor<2x2x37x16xf32>, tensor<2x2x37xf32>)
  return %o : tensor<2x2x37x16xf32>
}

// A boolean mask per head and row; both results.
func.func @mask(%q: tensor<?x2x?x8xf32> {xf.dims = ["B", "2", "T", "8"]}, %k: tensor<?x2x?x8xf32> {xf.dims = ["B", "2", "S", "8"]}, %m: tensor<?x1x?x?xi1> {xf.dims = ["B", "1", "T", "S"], xf.domain = "bool(0.2)"}) -> (tensor<?x2x?x8xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %k mask %m : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x1x?x?xi1>) -> (tensor<?x2x?x8xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x8xf32>, tensor<?x2x?xf32>
}

// Grouped heads, a head size that is no multiple of 16, scale, softcap and bias.
func.func @grouped(%q: tensor<?x4x?x40xf32> {xf.dims = ["B", "4", "T", "40"]}, %k: tensor<?x2x?x40xf32> {xf.dims = ["B", "2", "S", "40"]}, %v: tensor<?x2x?x24xf32> {xf.dims = ["B", "2", "S", "24"]}, %b: tensor<1x4x?x?xf32> {xf.dims = ["1", "4", "T", "S"]}) -> tensor<?x4x?x24xf32> {
  %o, %l = xf.attention %q, %k, %v bias %b {scale = 0.25, softcap = 3.0} : (tensor<?x4x?x40xf32>, tensor<?x2x?x40xf32>, tensor<?x2x?x24xf32>, tensor<1x4x?x?xf32>) -> (tensor<?x4x?x24xf32>, tensor<?x4x?xf32>)
  return %o : tensor<?x4x?x24xf32>
}

// More than one block of 256 keys.
func.func @long(%q: tensor<1x1x3x32xf32> {xf.dims = ["1", "1", "3", "32"]}, %k: tensor<1x1x530x32xf32> {xf.dims = ["1", "1", "530", "32"]}) -> tensor<1x1x3x32xf32> {
  %o, %l = xf.attention %q, %k, %k {scale = 1.0} : (tensor<1x1x3x32xf32>, tensor<1x1x530x32xf32>, tensor<1x1x530x32xf32>) -> (tensor<1x1x3x32xf32>, tensor<1x1x3xf32>)
  return %o : tensor<1x1x3x32xf32>
}

// A score region with a captured table and absolute positions.
func.func @score(%q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "T", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %at: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,3)"}, %slopes: tensor<2xf32> {xf.dims = ["2"]}) -> tensor<?x2x?x16xf32> {
  %o, %l = xf.attention %q, %k, %k offset %at captures(%slopes) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<2xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %bias = arith.mulf %slope, %df : f32
    %r = arith.addf %s, %bias : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?xi64>, tensor<2xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  return %o : tensor<?x2x?x16xf32>
}

// The cases of a row that sees nothing: by mask, by a bias of -inf, and keys and
// values that are NaN behind the count.
func.func @nothing_seen() -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>) {
  %q = arith.constant dense<0.0> : tensor<1x1x2x2xf32>
  %k = arith.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %m = arith.constant dense<[[[[false, false], [true, true]]]]> : tensor<1x1x2x2xi1>
  %b = arith.constant dense<[[[[0xFF800000, 0xFF800000], [0.0, 0.0]]]]> : tensor<1x1x2x2xf32>
  %o, %l = xf.attention %q, %k, %k mask %m : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xi1>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  %p, %n = xf.attention %q, %k, %k bias %b : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  return %o, %p, %l : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
}

func.func @nan_behind_the_count() -> tensor<1x1x1x1xf32> {
  %q = arith.constant dense<1.0> : tensor<1x1x1x1xf32>
  %k = arith.constant dense<[[[[0.0], [0x7FC00000]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[5.0], [0x7FC00000]]]]> : tensor<1x1x2x1xf32>
  %n = arith.constant dense<[1]> : tensor<1xi64>
  %o, %l = xf.attention %q, %k, %v key_count %n : (tensor<1x1x1x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1xi64>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>)
  return %o : tensor<1x1x1x1xf32>
}

func.func @nan_masked() -> tensor<1x1x1x1xf32> {
  %q = arith.constant dense<1.0> : tensor<1x1x1x1xf32>
  %k = arith.constant dense<[[[[0x7FC00000], [0.0]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[0x7FC00000], [5.0]]]]> : tensor<1x1x2x1xf32>
  %m = arith.constant dense<[[[[false, true]]]]> : tensor<1x1x1x2xi1>
  %o, %l = xf.attention %q, %k, %v mask %m : (tensor<1x1x1x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x1x2xi1>) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>)
  return %o : tensor<1x1x1x1xf32>
}

func.func @nan_before_the_window() -> tensor<1x1x2x1xf32> {
  %q = arith.constant dense<1.0> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<[[[[0x7FC00000], [0.0], [0.0]]]]> : tensor<1x1x3x1xf32>
  %v = arith.constant dense<[[[[0x7FC00000], [5.0], [7.0]]]]> : tensor<1x1x3x1xf32>
  %at = arith.constant dense<1> : tensor<i64>
  %o, %l = xf.attention %q, %k, %v offset %at {left = 0, right = 1} : (tensor<1x1x2x1xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3x1xf32>, tensor<i64>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  return %o : tensor<1x1x2x1xf32>
}

// A visible NaN is poison for its row, and for no other.
func.func @nan_seen() -> tensor<1x1x2x1xf32> {
  %q = arith.constant dense<[[[[0.0], [1.0]]]]> : tensor<1x1x2x1xf32>
  %k = arith.constant dense<[[[[0.0], [0x7FC00000]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[5.0], [7.0]]]]> : tensor<1x1x2x1xf32>
  %o, %l = xf.attention %q, %k, %v {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  return %o : tensor<1x1x2x1xf32>
}

// Causal alignment (queries shorter and longer than the keys).
func.func @alignment() -> (tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>) {
  %q = arith.constant dense<0.0> : tensor<1x1x2x1xf32>
  %q4 = arith.constant dense<0.0> : tensor<1x1x4x1xf32>
  %v = arith.constant dense<[[[[0.0], [3.0], [6.0], [9.0]]]]> : tensor<1x1x4x1xf32>
  %v2 = arith.constant dense<[[[[2.0], [4.0]]]]> : tensor<1x1x2x1xf32>
  %past = arith.constant dense<2> : tensor<i64>
  %before = arith.constant dense<-2> : tensor<i64>
  %a, %la = xf.attention %q, %q4, %v {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %b, %lb = xf.attention %q, %q4, %v offset %past {causal} : (tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>, tensor<i64>) -> (tensor<1x1x2x1xf32>, tensor<1x1x2xf32>)
  %c, %lc = xf.attention %q4, %q, %v2 {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>) -> (tensor<1x1x4x1xf32>, tensor<1x1x4xf32>)
  %d, %ld = xf.attention %q4, %q, %v2 offset %before {causal} : (tensor<1x1x4x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<i64>) -> (tensor<1x1x4x1xf32>, tensor<1x1x4xf32>)
  return %a, %b, %c, %d : tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x4x1xf32>, tensor<1x1x4x1xf32>
}
