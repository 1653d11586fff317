// RUN: dragoman-opt --check-gradients %s
// RUN: dragoman-opt --xf-decompose --check-gradients %s

func.func @silu_g1(%x: tensor<?x5xf32> {xf.dims = ["N", "5"], xf.domain = "normal(4.0)"}) -> tensor<?x5xf32> {
  %y = xf.silu %x : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

func.func @silu_g1_f64(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = xf.silu %x : (tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}
