// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on: a vocabulary with a tail, edits of
// each kind, both normalisations.
func.func @vocabulary(%logits: tensor<?x1003xf32> {xf.dims = ["N", "1003"], xf.domain = "normal(3.0)"}, %count: tensor<i64> {xf.dims = [], xf.domain = "range(9,9)"}, %bits: tensor<i64> {xf.dims = [], xf.domain = "range(0,3)"}, %id: tensor<?x?xi32> {xf.dims = ["N", "E"], xf.domain = "ids(1003)"}, %kind: tensor<?x?xi32> {xf.dims = ["N", "E"], xf.domain = "range(0,3)"}, %value: tensor<?x?xf32> {xf.dims = ["N", "E"], xf.domain = "normal(9.0)"}) -> (tensor<?x128xf32>, tensor<?x128xi32>, tensor<?xf32>) {
  %v, %i, %l = xf.select %logits count %count normalize %bits edits(%id, %kind, %value) : (tensor<?x1003xf32>, tensor<i64>, tensor<i64>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xf32>) -> (tensor<?x128xf32>, tensor<?x128xi32>, tensor<?xf32>)
  return %v, %i, %l : tensor<?x128xf32>, tensor<?x128xi32>, tensor<?xf32>
}

func.func @normalized(%logits: tensor<?x50xf32> {xf.dims = ["N", "50"], xf.domain = "normal(3.0)"}, %id: tensor<?x?xi32> {xf.dims = ["N", "E"], xf.domain = "ids(50)"}, %kind: tensor<?x?xi32> {xf.dims = ["N", "E"], xf.domain = "range(2,3)"}, %value: tensor<?x?xf32> {xf.dims = ["N", "E"], xf.domain = "normal(1.0)"}) -> (tensor<?x5xf32>, tensor<?x5xi32>, tensor<?xf32>) {
  %count = arith.constant dense<3> : tensor<i64>
  %bits = arith.constant dense<3> : tensor<i64>
  %v, %i, %l = xf.select %logits count %count normalize %bits edits(%id, %kind, %value) {k = 5} : (tensor<?x50xf32>, tensor<i64>, tensor<i64>, tensor<?x?xi32>, tensor<?x?xi32>, tensor<?x?xf32>) -> (tensor<?x5xf32>, tensor<?x5xi32>, tensor<?xf32>)
  return %v, %i, %l : tensor<?x5xf32>, tensor<?x5xi32>, tensor<?xf32>
}
