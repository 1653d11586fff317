// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @halves(%x: tensor<?x?x4x32xf32> {xf.dims = ["B", "T", "4", "32"]}, %cos: tensor<64x16xf32> {xf.dims = ["64", "16"]}, %sin: tensor<64x16xf32> {xf.dims = ["64", "16"]}, %p: tensor<?x?xi64> {xf.dims = ["B", "T"], xf.domain = "ids(64)"}) -> tensor<?x?x4x32xf32> {
  %y = xf.rotary %x, %cos, %sin positions %p {layout = "bthd"} : (tensor<?x?x4x32xf32>, tensor<64x16xf32>, tensor<64x16xf32>, tensor<?x?xi64>) -> tensor<?x?x4x32xf32>
  return %y : tensor<?x?x4x32xf32>
}

func.func @neighbours(%x: tensor<?x3x?x10xf32> {xf.dims = ["B", "3", "T", "10"]}, %cos: tensor<256x3xf32> {xf.dims = ["256", "3"]}, %sin: tensor<256x3xf32> {xf.dims = ["256", "3"]}) -> tensor<?x3x?x10xf32> {
  %y = xf.rotary %x, %cos, %sin {interleaved, inverse} : (tensor<?x3x?x10xf32>, tensor<256x3xf32>, tensor<256x3xf32>) -> tensor<?x3x?x10xf32>
  return %y : tensor<?x3x?x10xf32>
}
