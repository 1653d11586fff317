// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on: chunks with and without a rest.
func.func @one(%g: tensor<24xf32> {xf.dims = ["24"]}) -> (tensor<1xf32>) {
  %n = xf.global_norm %g : (tensor<24xf32>) -> tensor<1xf32>
  return %n : tensor<1xf32>
}

func.func @chunks(%g: tensor<8192xf32> {xf.dims = ["8192"]}) -> (tensor<1xf32>) {
  %n = xf.global_norm %g : (tensor<8192xf32>) -> tensor<1xf32>
  return %n : tensor<1xf32>
}

func.func @rest(%g: tensor<10001xf32> {xf.dims = ["10001"]}) -> (tensor<1xf32>) {
  %n = xf.global_norm %g : (tensor<10001xf32>) -> tensor<1xf32>
  return %n : tensor<1xf32>
}

func.func @groups(%g: tensor<10001xf32> {xf.dims = ["10001"]}) -> (tensor<4xf32>) {
  %n = xf.global_norm %g {groups = array<i64: 5, 5, 4200, 10001>} : (tensor<10001xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
