// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
plan.weight @table : tensor<53x19xf32> {source = #plan.normal<3, 1.0>}

func.func @scaled(%ids: tensor<?x?xi64> {xf.dims = ["B", "S"], xf.domain = "ids(53)"}) -> tensor<?x?x19xf32> {
  %t = plan.load @table : tensor<53x19xf32>
  %y = xf.embedding %t, %ids {scale = 11.3} : (tensor<53x19xf32>, tensor<?x?xi64>) -> tensor<?x?x19xf32>
  return %y : tensor<?x?x19xf32>
}

func.func @small_ids(%ids: tensor<?xi32> {xf.dims = ["N"], xf.domain = "ids(53)"}) -> tensor<?x19xf32> {
  %t = plan.load @table : tensor<53x19xf32>
  %y = xf.embedding %t, %ids : (tensor<53x19xf32>, tensor<?xi32>) -> tensor<?x19xf32>
  return %y : tensor<?x19xf32>
}
