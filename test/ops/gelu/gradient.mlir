// RUN: dragoman-opt --check-gradients %s
// RUN: dragoman-opt --xf-decompose --check-gradients %s

func.func @gelu_g1(%x: tensor<?x5xf32> {xf.dims = ["N", "5"], xf.domain = "normal(2.0)"}) -> tensor<?x5xf32> {
  %y = xf.gelu %x : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

func.func @gelu_g1_tanh(%x: tensor<7xf32> {xf.domain = "normal(2.0)"}) -> tensor<7xf32> {
  %y = xf.gelu %x {kind = "tanh"} : (tensor<7xf32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

func.func @gelu_g1_bf16(%x: tensor<3xbf16>) -> tensor<3xbf16> {
  %y = xf.gelu %x : (tensor<3xbf16>) -> tensor<3xbf16>
  return %y : tensor<3xbf16>
}
