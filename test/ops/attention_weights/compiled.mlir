// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on, beside the attention that they
// explain: cross-attention as the projections write it, and a causal mean over
// grouped heads.
func.func @alignment(%q: tensor<?x?x4x32xf32> {xf.dims = ["B", "T", "4", "32"]}, %k: tensor<?x?x4x32xf32> {xf.dims = ["B", "S", "4", "32"]}, %n: tensor<?xi64> {xf.dims = ["B"], xf.domain = "length(S)"}) -> (tensor<?x?x4x32xf32>, tensor<?x2x?x?xf32>) {
  %o, %l = xf.attention %q, %k, %k key_count %n {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"} : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?xi64>) -> (tensor<?x?x4x32xf32>, tensor<?x4x?xf32>)
  %w = xf.attention_weights %q, %k lse %l key_count %n {heads = array<i64: 3, 0>, q_layout = "bthd", k_layout = "bthd"} : (tensor<?x?x4x32xf32>, tensor<?x?x4x32xf32>, tensor<?x4x?xf32>, tensor<?xi64>) -> tensor<?x2x?x?xf32>
  return %o, %w : tensor<?x?x4x32xf32>, tensor<?x2x?x?xf32>
}

func.func @mean(%q: tensor<?x4x?x16xf32> {xf.dims = ["B", "4", "T", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "T", "16"]}) -> (tensor<?x4x?x16xf32>, tensor<?x1x?x?xf32>) {
  %o, %l = xf.attention %q, %k, %k {causal} : (tensor<?x4x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>) -> (tensor<?x4x?x16xf32>, tensor<?x4x?xf32>)
  %w = xf.attention_weights %q, %k lse %l {causal, reduce = "mean"} : (tensor<?x4x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x4x?xf32>) -> tensor<?x1x?x?xf32>
  return %o, %w : tensor<?x4x?x16xf32>, tensor<?x1x?x?xf32>
}
