// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on: vocabularies with and without a tail,
// forbidden ids in every place, ignored rows, results that nobody reads.
func.func @vocabulary(%x: tensor<?x1003xf32> {xf.dims = ["N", "1003"], xf.domain = "normal(3.0)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,499)"}, %d: tensor<?xf32> {xf.dims = ["N"]}, %c: tensor<1003xf32> {xf.dims = ["1003"], xf.domain = "prob"}) -> (tensor<?x1003xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:5 = xf.cross_entropy_grad %x, %y dloss %d class_weight %c {smoothing = 0.1, ignore = -1, forbidden = array<i64: 500, 601, 1000, 1002>} : (tensor<?x1003xf32>, tensor<?xi64>, tensor<?xf32>, tensor<1003xf32>) -> (tensor<?x1003xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x1003xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @first_ids(%x: tensor<?x203xf32> {xf.dims = ["N", "203"], xf.domain = "normal(3.0)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(18,202)"}, %d: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?x203xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:5 = xf.cross_entropy_grad %x, %y dloss %d {smoothing = 0.1, forbidden = array<i64: 0, 1, 17>} : (tensor<?x203xf32>, tensor<?xi64>, tensor<?xf32>) -> (tensor<?x203xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x203xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @whole(%x: tensor<?x128xf32> {xf.dims = ["N", "128"], xf.domain = "normal(3.0)"}, %y: tensor<?xi32> {xf.dims = ["N"], xf.domain = "range(0,7)"}) -> (tensor<?x128xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:5 = xf.cross_entropy_grad %x, %y {ignore = 7} : (tensor<?x128xf32>, tensor<?xi32>) -> (tensor<?x128xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x128xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @small(%x: tensor<?x5xf32> {xf.dims = ["N", "5"], xf.domain = "normal(3.0)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "ids(5)"}, %d: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?x5xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:5 = xf.cross_entropy_grad %x, %y dloss %d {smoothing = 0.2} : (tensor<?x5xf32>, tensor<?xi64>, tensor<?xf32>) -> (tensor<?x5xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<?x5xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @forward(%x: tensor<?x77xf32> {xf.dims = ["N", "77"], xf.domain = "normal(3.0)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "ids(77)"}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:5 = xf.cross_entropy_grad %x, %y {smoothing = 0.1, ignore = 0} : (tensor<?x77xf32>, tensor<?xi64>) -> (tensor<?x77xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @gradient(%x: tensor<?x77xf32> {xf.dims = ["N", "77"], xf.domain = "normal(3.0)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "ids(77)"}, %d: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?x77xf32>) {
  %r:5 = xf.cross_entropy_grad %x, %y dloss %d {ignore = 0} : (tensor<?x77xf32>, tensor<?xi64>, tensor<?xf32>) -> (tensor<?x77xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %r#0 : tensor<?x77xf32>
}
