// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on. Rows of a multiple of 16.
func.func @whole(%x: tensor<?x?x32xf32> {xf.dims = ["B", "T", "32"]}, %s: tensor<i64> {xf.dims = [], xf.domain = "range(0,1000000)"}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000000)"}) -> tensor<?x?x32xf32> {
  %y = xf.dropout %x seed %s row_key %k {p = 0.3, site = 5} : (tensor<?x?x32xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x32xf32>
  return %y : tensor<?x?x32xf32>
}

func.func @tail(%x: tensor<?x?x37xf32> {xf.dims = ["B", "T", "37"]}, %s: tensor<i64> {xf.dims = [], xf.domain = "range(0,1000000)"}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000000)"}) -> tensor<?x?x37xf32> {
  %y = xf.dropout %x seed %s row_key %k {p = 0.1, site = 65535} : (tensor<?x?x37xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x37xf32>
  return %y : tensor<?x?x37xf32>
}

func.func @one_axis(%x: tensor<?xf32> {xf.dims = ["B"]}, %s: tensor<i64> {xf.dims = [], xf.domain = "range(0,1000000)"}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000000)"}) -> tensor<?xf32> {
  %y = xf.dropout %x seed %s row_key %k {p = 0.5, site = 1} : (tensor<?xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @two_axes(%x: tensor<?x20xf32> {xf.dims = ["B", "20"]}, %s: tensor<i64> {xf.dims = [], xf.domain = "range(0,1000000)"}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000000)"}) -> tensor<?x20xf32> {
  %y = xf.dropout %x seed %s row_key %k {p = 0.5, site = 1} : (tensor<?x20xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x20xf32>
  return %y : tensor<?x20xf32>
}

// Heads, and lanes along another axis than the last.
func.func @transposed(%x: tensor<?x3x?x8xf32> {xf.dims = ["B", "3", "T", "8"]}, %s: tensor<i64> {xf.dims = [], xf.domain = "range(0,1000000)"}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000000)"}) -> tensor<?x8x3x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %y = xf.dropout %x seed %s row_key %k {p = 0.5, site = 7} : (tensor<?x3x?x8xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x3x?x8xf32>
  %b = tensor.dim %x, %c0 : tensor<?x3x?x8xf32>
  %t = tensor.dim %x, %c2 : tensor<?x3x?x8xf32>
  %e = tensor.empty(%b, %t) : tensor<?x8x3x?xf32>
  %z = linalg.transpose ins(%y : tensor<?x3x?x8xf32>) outs(%e : tensor<?x8x3x?xf32>) permutation = [0, 3, 1, 2]
  return %z : tensor<?x8x3x?xf32>
}

plan.weight @w : tensor<48x24xf32> {source = #plan.normal<3, 0.3>}

// Behind a linear, with the residual sum behind it.
func.func @epilogue(%x: tensor<?x?x24xf32> {xf.dims = ["B", "T", "24"]}, %r: tensor<?x?x48xf32> {xf.dims = ["B", "T", "48"]}, %s: tensor<i64> {xf.dims = [], xf.domain = "range(0,1000000)"}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000000)"}) -> tensor<?x?x48xf32> {
  %w = plan.load @w : tensor<48x24xf32>
  %h = xf.linear %x, %w {activation = "relu"} : (tensor<?x?x24xf32>, tensor<48x24xf32>) -> tensor<?x?x48xf32>
  %d = xf.dropout %h seed %s row_key %k {p = 0.25, site = 12} : (tensor<?x?x48xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x48xf32>
  %y = arith.addf %d, %r : tensor<?x?x48xf32>
  return %y : tensor<?x?x48xf32>
}

// In front of a norm.
func.func @norm(%x: tensor<?x?x40xf32> {xf.dims = ["B", "T", "40"]}, %s: tensor<i64> {xf.dims = [], xf.domain = "range(0,1000000)"}, %k: tensor<?xi64> {xf.dims = ["B"], xf.domain = "ids(1000000)"}) -> tensor<?x?x40xf32> {
  %d = xf.dropout %x seed %s row_key %k {p = 0.25, site = 12} : (tensor<?x?x40xf32>, tensor<i64>, tensor<?xi64>) -> tensor<?x?x40xf32>
  %y = xf.layer_norm %d {eps = 1.0e-5} : (tensor<?x?x40xf32>) -> tensor<?x?x40xf32>
  return %y : tensor<?x?x40xf32>
}
