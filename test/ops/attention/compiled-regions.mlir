// RUN: dragoman-opt %s --verify-semantics --xf-decompose -o %t

// Regions with a captured table and absolute positions.
func.func @regions(%q: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "T", "16"]}, %k: tensor<?x2x?x16xf32> {xf.dims = ["B", "2", "S", "16"]}, %at: tensor<?xi64> {xf.dims = ["B"], xf.domain = "range(0,3)"}, %slopes: tensor<2xf32> {xf.dims = ["2"]}) -> tensor<?x2x?x16xf32> {
  %o, %l = xf.attention %q, %k, %k offset %at captures(%slopes) {causal} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<2xf32>
    %d = arith.subi %j, %i : index
    %di = arith.index_cast %d : index to i64
    %df = arith.sitofp %di : i64 to f32
    %bias = arith.mulf %slope, %df : f32
    %r = arith.addf %s, %bias : f32
    xf.yield %r : f32
  } prob {
  ^bb0(%w: f32, %b: index, %h: index, %i: index, %j: index):
    %r = arith.mulf %w, %w : f32
    xf.yield %r : f32
  } : (tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?xi64>, tensor<2xf32>) -> (tensor<?x2x?x16xf32>, tensor<?x2x?xf32>)
  return %o : tensor<?x2x?x16xf32>
}
