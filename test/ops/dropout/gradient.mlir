// RUN: dragoman-opt --check-gradients %s

// The same keys in both directions, for each number of axes.
func.func @dropout_g1(%x: tensor<?x?x9xf32> {xf.dims = ["B", "T", "9"]}, %s: tensor<i64> {xf.domain = "range(0,1000000)"}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000)"}) -> tensor<?x?x9xf32> {
  %y = xf.dropout %x seed %s row_key %k {p = 0.4, site = 3} : (tensor<?x?x9xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x9xf32>
  return %y : tensor<?x?x9xf32>
}

func.func @dropout_g1_heads(%x: tensor<2x2x3x5xf32>, %s: tensor<i64> {xf.domain = "range(0,1000000)"}, %k: tensor<2xi64> {xf.domain = "ids(1000)"}) -> tensor<2x2x3x5xf32> {
  %y = xf.dropout %x seed %s row_key %k {p = 0.5, site = 1} : (tensor<2x2x3x5xf32>, tensor<i64>, tensor<2xi64>) -> tensor<2x2x3x5xf32>
  return %y : tensor<2x2x3x5xf32>
}

// Two sites over one residual sum: their draws differ, their gradients add up.
func.func @dropout_g1_twice(%x: tensor<3x7xf32>, %s: tensor<i64> {xf.domain = "range(0,1000000)"}, %k: tensor<3xi64> {xf.domain = "ids(1000)"}) -> tensor<3x7xf32> {
  %a = xf.dropout %x seed %s row_key %k {p = 0.5, site = 1} : (tensor<3x7xf32>, tensor<i64>, tensor<3xi64>) -> tensor<3x7xf32>
  %b = arith.mulf %a, %x : tensor<3x7xf32>
  %c = xf.dropout %b seed %s row_key %k {p = 0.25, site = 2} : (tensor<3x7xf32>, tensor<i64>, tensor<3xi64>) -> tensor<3x7xf32>
  %d = arith.addf %c, %x : tensor<3x7xf32>
  return %d : tensor<3x7xf32>
}
