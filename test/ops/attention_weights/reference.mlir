// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// The weights of an attention over the unit matrix are what it returns. The
// second row sees one key, the third nothing.
func.func @weights_of_attention() {
  %q = arith.constant dense<[[[[1.0], [2.0], [3.0]], [[0.0], [1.0], [-1.0]]]]> : tensor<1x2x3x1xf32>
  %k = arith.constant dense<[[[[0.5], [-1.0]]]]> : tensor<1x1x2x1xf32>
  %v = arith.constant dense<[[[[1.0, 0.0], [0.0, 1.0]]]]> : tensor<1x1x2x2xf32>
  %m = arith.constant dense<[[[[true, true], [false, true], [false, false]]]]> : tensor<1x1x3x2xi1>
  %o, %l = xf.attention %q, %k, %v mask %m {scale = 1.0} : (tensor<1x2x3x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x2xf32>, tensor<1x1x3x2xi1>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3xf32>)
  %w = xf.attention_weights %q, %k lse %l mask %m {scale = 1.0} : (tensor<1x2x3x1xf32>, tensor<1x1x2x1xf32>, tensor<1x2x3xf32>, tensor<1x1x3x2xi1>) -> tensor<1x2x3x2xf32>
  check.close %w, %o : tensor<1x2x3x2xf32>
  return
}

// Two heads of scores 0 and ln 3, the mean of both, and one of them; the third
// key is beyond the count and NaN.
func.func @heads() {
  %q = arith.constant dense<[[[[1.0]], [[0.0]]]]> : tensor<1x2x1x1xf32>
  %k = arith.constant dense<[[[[0.0], [1.098612289], [0x7FC00000]]]]> : tensor<1x1x3x1xf32>
  %l = arith.constant dense<[[[1.386294361], [0.693147181]]]> : tensor<1x2x1xf32>
  %n = arith.constant dense<[2]> : tensor<1xi64>
  %a = xf.attention_weights %q, %k lse %l key_count %n {reduce = "mean", scale = 1.0} : (tensor<1x2x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x2x1xf32>, tensor<1xi64>) -> tensor<1x1x1x3xf32>
  %ea = arith.constant dense<[[[[0.375, 0.625, 0.0]]]]> : tensor<1x1x1x3xf32>
  check.close %a, %ea : tensor<1x1x1x3xf32>
  %b = xf.attention_weights %q, %k lse %l key_count %n {heads = array<i64: 1, 0>, scale = 1.0} : (tensor<1x2x1x1xf32>, tensor<1x1x3x1xf32>, tensor<1x2x1xf32>, tensor<1xi64>) -> tensor<1x2x1x3xf32>
  %eb = arith.constant dense<[[[[0.5, 0.5, 0.0]], [[0.25, 0.75, 0.0]]]]> : tensor<1x2x1x3xf32>
  check.close %b, %eb : tensor<1x2x1x3xf32>
  return
}
