// RUN: dragoman-opt --check-gradients %s

func.func @rotary_g1(%x: tensor<2x3x2x6xf32>, %c: tensor<4x2xf32> {check.fixed}, %s: tensor<4x2xf32> {check.fixed}, %p: tensor<2x3xi64> {xf.domain = "ids(4)"}) -> tensor<2x3x2x6xf32> {
  %y = xf.rotary %x, %c, %s positions %p {layout = "bthd"} : (tensor<2x3x2x6xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x3xi64>) -> tensor<2x3x2x6xf32>
  return %y : tensor<2x3x2x6xf32>
}

func.func @rotary_g1_interleaved(%x: tensor<1x2x3x4xf32>, %c: tensor<3x2xf32> {check.fixed}, %s: tensor<3x2xf32> {check.fixed}) -> tensor<1x2x3x4xf32> {
  %y = xf.rotary %x, %c, %s {interleaved, inverse} : (tensor<1x2x3x4xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<1x2x3x4xf32>
  return %y : tensor<1x2x3x4xf32>
}
