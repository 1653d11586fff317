// RUN: dragoman-opt --check-gradients %s

// Both results take part: the gradient flows through out and lse.

// Nothing is masked; key and value sizes differ.
func.func @plain(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x2xf32> {xf.dims = ["B", "2", "S", "2"]}) -> (tensor<?x2x?x2xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x2xf32>) -> (tensor<?x2x?x2xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x2xf32>, tensor<?x2x?xf32>
}

// Masks by query leave rows that see nothing (case 1, fault 21).
func.func @case_1_masked_rows(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %m: tensor<?x1x?x?xi1> {xf.dims = ["B", "1", "T", "S"], xf.domain = "bool(0.4)"}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v mask %m : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x1x?x?xi1>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// Batch rows without any key (case 39 a).
func.func @case_39a_rows_of_padding(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,2)"}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v key_count %n : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?xi64>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

func.func @key_count(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v key_count %n : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?xi64>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// Causal alignment (case 2).
func.func @case_2a_causal_without_past(%q: tensor<1x1x2x2xf32> {xf.dims = ["1", "1", "2", "2"]}, %k: tensor<1x1x4x2xf32> {xf.dims = ["1", "1", "4", "2"]}, %v: tensor<1x1x4x2xf32> {xf.dims = ["1", "1", "4", "2"]}) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>) {
  %o, %l = xf.attention %q, %k, %v {causal} : (tensor<1x1x2x2xf32>, tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  return %o, %l : tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
}

func.func @case_2b_causal_with_past(%q: tensor<1x1x2x2xf32> {xf.dims = ["1", "1", "2", "2"]}, %k: tensor<1x1x4x2xf32> {xf.dims = ["1", "1", "4", "2"]}, %v: tensor<1x1x4x2xf32> {xf.dims = ["1", "1", "4", "2"]}, %at: tensor<i64> {xf.dims = [], xf.domain = "range(2,2)"}) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>) {
  %o, %l = xf.attention %q, %k, %v offset %at {causal} : (tensor<1x1x2x2xf32>, tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32>, tensor<i64>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  return %o, %l : tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
}

func.func @case_2c_causal_with_key_count(%q: tensor<1x1x2x2xf32> {xf.dims = ["1", "1", "2", "2"]}, %k: tensor<1x1x5x2xf32> {xf.dims = ["1", "1", "5", "2"]}, %v: tensor<1x1x5x2xf32> {xf.dims = ["1", "1", "5", "2"]}, %n: tensor<1xi64> {xf.dims = ["1"], xf.domain = "range(4,4)"}, %at: tensor<i64> {xf.dims = [], xf.domain = "range(2,2)"}) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>) {
  %o, %l = xf.attention %q, %k, %v key_count %n offset %at {causal} : (tensor<1x1x2x2xf32>, tensor<1x1x5x2xf32>, tensor<1x1x5x2xf32>, tensor<1xi64>, tensor<i64>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2xf32>)
  return %o, %l : tensor<1x1x2x2xf32>, tensor<1x1x2xf32>
}

func.func @case_2d_causal_more_queries(%q: tensor<1x1x4x2xf32> {xf.dims = ["1", "1", "4", "2"]}, %k: tensor<1x1x2x2xf32> {xf.dims = ["1", "1", "2", "2"]}, %v: tensor<1x1x2x2xf32> {xf.dims = ["1", "1", "2", "2"]}) -> (tensor<1x1x4x2xf32>, tensor<1x1x4xf32>) {
  %o, %l = xf.attention %q, %k, %v {causal} : (tensor<1x1x4x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) -> (tensor<1x1x4x2xf32>, tensor<1x1x4xf32>)
  return %o, %l : tensor<1x1x4x2xf32>, tensor<1x1x4xf32>
}

func.func @case_2e_empty_leading_rows(%q: tensor<1x1x4x2xf32> {xf.dims = ["1", "1", "4", "2"]}, %k: tensor<1x1x2x2xf32> {xf.dims = ["1", "1", "2", "2"]}, %v: tensor<1x1x2x2xf32> {xf.dims = ["1", "1", "2", "2"]}, %at: tensor<i64> {xf.dims = [], xf.domain = "range(-2,-2)"}) -> (tensor<1x1x4x2xf32>, tensor<1x1x4xf32>) {
  %o, %l = xf.attention %q, %k, %v offset %at {causal} : (tensor<1x1x4x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<i64>) -> (tensor<1x1x4x2xf32>, tensor<1x1x4xf32>)
  return %o, %l : tensor<1x1x4x2xf32>, tensor<1x1x4xf32>
}

func.func @offsets_by_row(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %at: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(-1,2)"}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v offset %at {causal} : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?xi64>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

func.func @window(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v {left = 1, right = 1} : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

func.func @causal_window(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %at: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(-2,2)"}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v offset %at {causal, left = 2} : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?xi64>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// Query heads of a group add up in their key head.
func.func @grouped(%q: tensor<?x4x?x3xf32> {xf.dims = ["B", "4", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> (tensor<?x4x?x3xf32>, tensor<?x4x?xf32>) {
  %o, %l = xf.attention %q, %k, %v key_count %n {scale = 0.7} : (tensor<?x4x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?xi64>) -> (tensor<?x4x?x3xf32>, tensor<?x4x?xf32>)
  return %o, %l : tensor<?x4x?x3xf32>, tensor<?x4x?xf32>
}

func.func @bias_of_all(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %b: tensor<?x2x?x?xf32> {xf.dims = ["B", "2", "T", "S"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v bias %b : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x?xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// A bias that broadcasts, in front of and between the other axes.
func.func @bias_by_head_and_key(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %b: tensor<1x2x1x?xf32> {xf.dims = ["1", "2", "1", "S"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v bias %b key_count %n : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<1x2x1x?xf32>, tensor<?xi64>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

func.func @bias_by_query(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %b: tensor<?x1x?x1xf32> {xf.dims = ["B", "1", "T", "1"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v bias %b {softcap = 1.5} : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x1x?x1xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

func.func @bias_of_one(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %b: tensor<1x1x1x1xf32> {xf.dims = ["1", "1", "1", "1"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v bias %b {softcap = 1.5} : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<1x1x1x1xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

func.func @softcap(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "T", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v {softcap = 0.8, causal} : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

func.func @layouts(%q: tensor<?x?x2x3xf32> {xf.dims = ["B", "T", "2", "3"]}, %k: tensor<?x?x2x3xf32> {xf.dims = ["B", "S", "2", "3"]}, %v: tensor<?x?x2x3xf32> {xf.dims = ["B", "S", "2", "3"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> (tensor<?x?x2x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v key_count %n {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x2x3xf32>, tensor<?x?x2x3xf32>, tensor<?x?x2x3xf32>, tensor<?xi64>) -> (tensor<?x?x2x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x?x2x3xf32>, tensor<?x2x?xf32>
}

// ALiBi: a slope for each head times the distance.
func.func @alibi(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %t: tensor<2xf32> {xf.dims = ["2"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v captures(%t) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %t[%h] : tensor<2xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %x = arith.mulf %slope, %df : f32
    %r = arith.addf %s, %x : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<2xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// A softcap written as a region.
func.func @softcap_region(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 1.5 : f32
    %q1 = arith.divf %s, %cap : f32
    %t1 = math.tanh %q1 : f32
    %r = arith.mulf %t1, %cap : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// A table of learned biases by clamped distance.
func.func @relative_table(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %t: tensor<5xf32> {xf.dims = ["5"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
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
  } : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<5xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// A window written as a region.
func.func @sliding_window(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ninf = arith.constant 0xFF800000 : f32
    %d = arith.subi %i, %j : index
    %two = arith.constant 2 : index
    %near = arith.cmpi sle, %d, %two : index
    %r = arith.select %near, %s, %ninf : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// A prefix that all see, causal behind it.
func.func @prefix_lm(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %t: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,3)"}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
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
  } : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?xi64>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// Several documents in a row.
func.func @documents(%q: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %k: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %v: tensor<?x2x?x3xf32> {xf.dims = ["B", "2", "S", "3"]}, %t: tensor<?x?xi64> {xf.dims = ["B", "S"], xf.domain = "range(0,2)"}) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>) {
  %o, %l = xf.attention %q, %k, %v captures(%t) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ninf = arith.constant 0xFF800000 : f32
    %di = tensor.extract %t[%b, %i] : tensor<?x?xi64>
    %dj = tensor.extract %t[%b, %j] : tensor<?x?xi64>
    %same = arith.cmpi eq, %di, %dj : i64
    %r = arith.select %same, %s, %ninf : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x2x?x3xf32>, tensor<?x?xi64>) -> (tensor<?x2x?x3xf32>, tensor<?x2x?xf32>)
  return %o, %l : tensor<?x2x?x3xf32>, tensor<?x2x?xf32>
}

// A probability region with a captured gain, behind a score region.
func.func @probabilities(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x4x2xf32>, %v: tensor<1x2x4x2xf32>, %t: tensor<f32>) -> tensor<1x2x3x2xf32> {
  %o, %l = xf.attention %q, %k, %v captures(%t) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %g = tensor.extract %t[] : tensor<f32>
    %r = arith.mulf %s, %g : f32
    xf.yield %r : f32
  } prob {
  ^bb0(%w: f32, %b: index, %h: index, %i: index, %j: index):
    %g = tensor.extract %t[] : tensor<f32>
    %x = arith.mulf %w, %w : f32
    %r = arith.mulf %x, %g : f32
    xf.yield %r : f32
  } : (tensor<1x2x3x2xf32>, tensor<1x2x4x2xf32>, tensor<1x2x4x2xf32>, tensor<f32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3xf32>)
  return %o : tensor<1x2x3x2xf32>
}

// Dropped weights stay dropped in the gradient: the keys are the same.
func.func @dropout(%q: tensor<?x?x2x3xf32> {xf.dims = ["B", "T", "2", "3"]}, %k: tensor<?x?x2x3xf32> {xf.dims = ["B", "S", "2", "3"]}, %v: tensor<?x?x2x3xf32> {xf.dims = ["B", "S", "2", "3"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,3)"}, %seed: tensor<i64> {xf.domain = "range(5,5)"}, %keys: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,99)"}) -> tensor<?x?x2x3xf32> {
  %o, %l = xf.attention %q, %k, %v key_count %n seed %seed row_key %keys {dropout = 0.4, site = 3, q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x2x3xf32>, tensor<?x?x2x3xf32>, tensor<?x?x2x3xf32>, tensor<?xi64>, tensor<i64>, tensor<?xi64>) -> (tensor<?x?x2x3xf32>, tensor<?x2x?xf32>)
  return %o : tensor<?x?x2x3xf32>
}
