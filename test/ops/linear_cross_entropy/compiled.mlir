// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
plan.weight @w : tensor<37x19xf32> {source = #plan.normal<3, 0.5>}
plan.weight @b : tensor<37xf32> {source = #plan.normal<4, 1.0>}

func.func @plain(%h: tensor<?x19xf32> {xf.dims = ["N", "19"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(-1,36)"}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %w = plan.load @w : tensor<37x19xf32>
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w target %y {ignore = -1} : (tensor<?x19xf32>, tensor<37x19xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

func.func @smoothed(%h: tensor<?x19xf32> {xf.dims = ["N", "19"]}, %y: tensor<?xi64> {xf.dims = ["N"], xf.domain = "range(1,36)"}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %w = plan.load @w : tensor<37x19xf32>
  %b = plan.load @b : tensor<37xf32>
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w bias %b target %y {smoothing = 0.1, forbidden = array<i64: 0>} : (tensor<?x19xf32>, tensor<37x19xf32>, tensor<37xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Two whole blocks of rows and a rest.
func.func @blocks(%h: tensor<600x19xf32> {xf.dims = ["600", "19"]}, %y: tensor<600xi64> {xf.dims = ["600"], xf.domain = "range(-1,36)"}) -> (tensor<600xf32>, tensor<600xf32>, tensor<600xf32>) {
  %w = plan.load @w : tensor<37x19xf32>
  %b = plan.load @b : tensor<37xf32>
  %r:3 = xf.linear_cross_entropy %h, %w bias %b target %y {smoothing = 0.1, ignore = -1} : (tensor<600x19xf32>, tensor<37x19xf32>, tensor<37xf32>, tensor<600xi64>) -> (tensor<600xf32>, tensor<600xf32>, tensor<600xf32>)
  return %r#0, %r#1, %r#2 : tensor<600xf32>, tensor<600xf32>, tensor<600xf32>
}

// Rows of a batch that another kernel computes.
func.func @behind_a_kernel(%x: tensor<?x?x19xf32> {xf.dims = ["B", "T", "19"]}, %labels: tensor<?x?xi64> {xf.dims = ["B", "T"], xf.domain = "range(-1,36)"}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %w = plan.load @w : tensor<37x19xf32>
  %n = xf.layer_norm %x {eps = 0.1} : (tensor<?x?x19xf32>) -> tensor<?x?x19xf32>
  %h = tensor.collapse_shape %n [[0, 1], [2]] : tensor<?x?x19xf32> into tensor<?x19xf32>
  %y = tensor.collapse_shape %labels [[0, 1]] : tensor<?x?xi64> into tensor<?xi64>
  %loss, %nll, %correct = xf.linear_cross_entropy %h, %w target %y {ignore = -1} : (tensor<?x19xf32>, tensor<37x19xf32>, tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %loss, %nll, %correct : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
