// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on: many tokens for few rows, widths
// within a vector, with a tail, and of several tiles.
func.func @tail(%dy: tensor<?x?x37xf32> {xf.dims = ["B", "S", "37"]}, %ids: tensor<?x?xi64> {xf.dims = ["B", "S"], xf.domain = "ids(7)"}) -> tensor<7x37xf32> {
  %d = xf.embedding_grad %dy, %ids {padding_id = 3, scale = 11.3} : (tensor<?x?x37xf32>, tensor<?x?xi64>) -> tensor<7x37xf32>
  return %d : tensor<7x37xf32>
}

func.func @narrow(%dy: tensor<?x3xf32> {xf.dims = ["N", "3"]}, %ids: tensor<?xi32> {xf.dims = ["N"], xf.domain = "range(-1,9)"}) -> tensor<8x3xf32> {
  %d = xf.embedding_grad %dy, %ids : (tensor<?x3xf32>, tensor<?xi32>) -> tensor<8x3xf32>
  return %d : tensor<8x3xf32>
}

// Several tiles; dy is dropped out in the kernel.
func.func @pulled(%dy: tensor<?x?x272xf32> {xf.dims = ["B", "S", "272"]}, %ids: tensor<?x?xi64> {xf.dims = ["B", "S"], xf.domain = "ids(5)"}, %s: tensor<i64> {xf.dims = []}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000)"}) -> tensor<5x272xf32> {
  %x = xf.dropout %dy seed %s row_key %k {p = 0.1, site = 4} : (tensor<?x?x272xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x272xf32>
  %d = xf.embedding_grad %x, %ids : (tensor<?x?x272xf32>, tensor<?x?xi64>) -> tensor<5x272xf32>
  return %d : tensor<5x272xf32>
}
