// RUN: dragoman-opt --check-gradients %s

// Both results take part: the gradient flows through loss and lse.

func.func @plain(%x: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "ids(10)"}) -> (tensor<?xf32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y {} : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  return %loss, %lse : tensor<?xf32>, tensor<?xf32>
}

func.func @smoothed_sum(%x: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "ids(10)"}) -> (tensor<f32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y {smoothing = 0.1, reduce = "sum"} : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?xf32>)
  return %loss, %lse : tensor<f32>, tensor<?xf32>
}

// Ignored rows, and the mean over those that count.
func.func @case_39b_ignored_rows(%x: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,9)"}) -> (tensor<f32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y {smoothing = 0.1, ignore = -1, reduce = "mean"} : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?xf32>)
  return %loss, %lse : tensor<f32>, tensor<?xf32>
}

func.func @no_row_counts(%x: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,-1)"}) -> (tensor<f32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y {ignore = -1, reduce = "mean"} : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<f32>, tensor<?xf32>)
  return %loss, %lse : tensor<f32>, tensor<?xf32>
}

func.func @forbidden(%x: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(1,6)"}) -> (tensor<?xf32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y {smoothing = 0.2, forbidden = array<i64: 0, 7>} : (tensor<?x10xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>)
  return %loss, %lse : tensor<?xf32>, tensor<?xf32>
}

func.func @weights(%x: tensor<?x10xf32> {xf.dims = ["N", "10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,9)"}, %c: tensor<10xf32> {xf.dims = ["10"], xf.domain = "prob", check.fixed}) -> (tensor<f32>, tensor<?xf32>) {
  %loss, %lse = xf.cross_entropy %x, %y class_weight %c {smoothing = 0.1, ignore = -1, reduce = "mean"} : (tensor<?x10xf32>, tensor<?xi64>, tensor<10xf32>) -> (tensor<f32>, tensor<?xf32>)
  return %loss, %lse : tensor<f32>, tensor<?xf32>
}
