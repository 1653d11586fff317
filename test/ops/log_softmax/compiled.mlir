// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @mask(%x: tensor<?x37xf32> {xf.dims = ["N", "37"], xf.domain = "normal(4.0)"}, %m: tensor<?x37xi1> {xf.dims = ["N", "37"], xf.domain = "bool(0.1)"}) -> tensor<?x37xf32> {
  %y = xf.log_softmax %x mask %m : (tensor<?x37xf32>, tensor<?x37xi1>) -> tensor<?x37xf32>
  return %y : tensor<?x37xf32>
}

func.func @key_count(%x: tensor<?x3x?xf32> {xf.dims = ["B", "3", "S"]}, %n: tensor<?xi32> {xf.dims = ["B"], xf.domain = "length(S)"}) -> tensor<?x3x?xf32> {
  %y = xf.log_softmax %x key_count %n : (tensor<?x3x?xf32>, tensor<?xi32>) -> tensor<?x3x?xf32>
  return %y : tensor<?x3x?xf32>
}

func.func @inner_axis(%x: tensor<?x5x19xf32> {xf.dims = ["B", "5", "19"]}) -> tensor<?x5x19xf32> {
  %y = xf.log_softmax %x {axis = 1} : (tensor<?x5x19xf32>) -> tensor<?x5x19xf32>
  return %y : tensor<?x5x19xf32>
}

func.func @special() -> tensor<4x3xf32> {
  %x = arith.constant dense<[[0xFF800000, 0xFF800000, 0xFF800000], [0x7FC00000, 1.0, 2.0], [3.0e38, -3.0e38, 3.0e38], [0xFF800000, 1.0, 1.0]]> : tensor<4x3xf32>
  %y = xf.log_softmax %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
