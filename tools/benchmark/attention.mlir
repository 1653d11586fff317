// Eight heads of 64 over the output of one joint projection, as an encoder
// layer reads it, and the gradient: what `tools/bench attention` times.
func.func @main(%qkv: tensor<?x?x1536xf32> {xf.dims = ["B", "T", "1536"], xf.name = "qkv", xf.domain = "normal(1.0)"},
                %length: tensor<?xi64> {xf.dims = ["B"], xf.name = "length", xf.domain = "length(T)"})
    -> (tensor<?x?x512xf32> {xf.dims = ["B", "T", "512"], xf.name = "out"},
        tensor<?x8x?xf32> {xf.dims = ["B", "8", "T"], xf.name = "lse"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %qkv, %c0 : tensor<?x?x1536xf32>
  %t = tensor.dim %qkv, %c1 : tensor<?x?x1536xf32>
  %q = tensor.extract_slice %qkv[0, 0, 0] [%b, %t, 512] [1, 1, 1] : tensor<?x?x1536xf32> to tensor<?x?x512xf32>
  %k = tensor.extract_slice %qkv[0, 0, 512] [%b, %t, 512] [1, 1, 1] : tensor<?x?x1536xf32> to tensor<?x?x512xf32>
  %v = tensor.extract_slice %qkv[0, 0, 1024] [%b, %t, 512] [1, 1, 1] : tensor<?x?x1536xf32> to tensor<?x?x512xf32>
  %q4 = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [%b, %t, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
  %k4 = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [%b, %t, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
  %v4 = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [%b, %t, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
  %o, %lse = xf.attention %q4, %k4, %v4 key_count %length {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"}
      : (tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?xi64>) -> (tensor<?x?x8x64xf32>, tensor<?x8x?xf32>)
  %out = tensor.collapse_shape %o [[0], [1], [2, 3]] : tensor<?x?x8x64xf32> into tensor<?x?x512xf32>
  return %out, %lse : tensor<?x?x512xf32>, tensor<?x8x?xf32>
}

func.func @backward(%dout: tensor<?x?x512xf32> {xf.dims = ["B", "T", "512"], xf.name = "dout", xf.domain = "normal(1.0)"},
                    %qkv: tensor<?x?x1536xf32> {xf.dims = ["B", "T", "1536"], xf.name = "qkv", xf.domain = "normal(1.0)"},
                    %length: tensor<?xi64> {xf.dims = ["B"], xf.name = "length", xf.domain = "length(T)"},
                    %out: tensor<?x?x512xf32> {xf.dims = ["B", "T", "512"], xf.name = "out", xf.domain = "normal(1.0)"},
                    %lse: tensor<?x8x?xf32> {xf.dims = ["B", "8", "T"], xf.name = "lse", xf.domain = "normal(1.0)"})
    -> (tensor<?x?x8x64xf32> {xf.dims = ["B", "T", "8", "64"], xf.name = "dq"},
        tensor<?x?x8x64xf32> {xf.dims = ["B", "T", "8", "64"], xf.name = "dk"},
        tensor<?x?x8x64xf32> {xf.dims = ["B", "T", "8", "64"], xf.name = "dv"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %qkv, %c0 : tensor<?x?x1536xf32>
  %t = tensor.dim %qkv, %c1 : tensor<?x?x1536xf32>
  %q = tensor.extract_slice %qkv[0, 0, 0] [%b, %t, 512] [1, 1, 1] : tensor<?x?x1536xf32> to tensor<?x?x512xf32>
  %k = tensor.extract_slice %qkv[0, 0, 512] [%b, %t, 512] [1, 1, 1] : tensor<?x?x1536xf32> to tensor<?x?x512xf32>
  %v = tensor.extract_slice %qkv[0, 0, 1024] [%b, %t, 512] [1, 1, 1] : tensor<?x?x1536xf32> to tensor<?x?x512xf32>
  %q4 = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [%b, %t, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
  %k4 = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [%b, %t, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
  %v4 = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [%b, %t, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
  %dout4 = tensor.expand_shape %dout [[0], [1], [2, 3]] output_shape [%b, %t, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
  %out4 = tensor.expand_shape %out [[0], [1], [2, 3]] output_shape [%b, %t, 8, 64] : tensor<?x?x512xf32> into tensor<?x?x8x64xf32>
  %dq, %dk, %dv = xf.attention_grad %dout4, %q4, %k4, %v4 out %out4 %lse key_count %length {q_layout = "bthd", k_layout = "bthd", v_layout = "bthd", out_layout = "bthd"}
      : (tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x8x?xf32>, tensor<?xi64>)
      -> tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>
  return %dq, %dk, %dv : tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>
}
