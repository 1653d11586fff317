// RUN: dragoman-opt --check-gradients %s

func.func @plain(%h: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %w: tensor<10x4xf32> {xf.dims = ["10", "4"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "ids(10)"}) -> (tensor<?xf32>, tensor<?xf32> {check.fixed}, tensor<?xf32> {check.fixed}) {
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w target %y {} : (tensor<?x4xf32>, tensor<10x4xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @ignored_rows(%h: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %w: tensor<10x4xf32> {xf.dims = ["10", "4"]}, %b: tensor<10xf32> {xf.dims = ["10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,9)"}) -> (tensor<?xf32>, tensor<?xf32> {check.fixed}, tensor<?xf32> {check.fixed}) {
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w bias %b target %y {smoothing = 0.1, ignore = -1} : (tensor<?x4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @forbidden(%h: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %w: tensor<10x4xf32> {xf.dims = ["10", "4"]}, %b: tensor<10xf32> {xf.dims = ["10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(1,6)"}) -> (tensor<?xf32>, tensor<?xf32> {check.fixed}, tensor<?xf32> {check.fixed}) {
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w bias %b target %y {smoothing = 0.1, forbidden = array<i64: 0, 7>} : (tensor<?x4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @weights(%h: tensor<?x4xf32> {xf.dims = ["N", "4"]}, %w: tensor<10x4xf32> {xf.dims = ["10", "4"]}, %b: tensor<10xf32> {xf.dims = ["10"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,9)"}, %c: tensor<10xf32> {xf.dims = ["10"], xf.domain = "prob", check.fixed}) -> (tensor<?xf32>, tensor<?xf32> {check.fixed}, tensor<?xf32> {check.fixed}) {
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w bias %b target %y class_weight %c {ignore = -1} : (tensor<?x4xf32>, tensor<10x4xf32>, tensor<10xf32>, tensor<?xi64>, tensor<10xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A tied table has the sum of both gradients; the row of padding has that of
// the projection only, which is 0 where the id is forbidden.
func.func @tied(%w: tensor<10x4xf32> {xf.dims = ["10", "4"]}, %i: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(1,9)"}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(1,9)"}) -> (tensor<?xf32>, tensor<?xf32> {check.fixed}, tensor<?xf32> {check.fixed}) {
  %h = xf.embedding %w, %i {scale = 2.0} : (tensor<10x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w target %y {smoothing = 0.1, forbidden = array<i64: 0>} : (tensor<?x4xf32>, tensor<10x4xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
