// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @rows(%x: tensor<?x37xf32> {xf.dims = ["N", "37"], xf.domain = "normal(3.0)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,36)"}) -> (tensor<?xf32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y {ignore = -1, reduce = "none", smoothing = 0.1} : (tensor<?x37xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  return %loss, %lse : tensor<?xf32>, tensor<?xf32>
}

func.func @sum(%x: tensor<?x37xf32> {xf.dims = ["N", "37"], xf.domain = "normal(3.0)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,36)"}) -> (tensor<f32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y {ignore = -1, reduce = "sum"} : (tensor<?x37xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?xf32>)
  return %loss, %lse : tensor<f32>, tensor<?xf32>
}

func.func @weighted_mean(%x: tensor<?x37xf32> {xf.dims = ["N", "37"], xf.domain = "normal(3.0)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,36)"}, %c: tensor<37xf32> {xf.dims = ["37"], xf.domain = "prob"}) -> (tensor<f32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y class_weight %c {ignore = -1, reduce = "mean", smoothing = 0.1} : (tensor<?x37xf32>, tensor<?xi64>, tensor<37xf32>) -> (tensor<f32>, tensor<?xf32>)
  return %loss, %lse : tensor<f32>, tensor<?xf32>
}
