// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on, far into the tails.
func.func @erf(%x: tensor<?x19xf32> {xf.dims = ["N", "19"], xf.domain = "normal(4.0)"}) -> tensor<?x19xf32> {
  %y = xf.gelu %x : (tensor<?x19xf32>) -> tensor<?x19xf32>
  return %y : tensor<?x19xf32>
}

func.func @tanh(%x: tensor<?x19xf32> {xf.dims = ["N", "19"], xf.domain = "normal(4.0)"}) -> tensor<?x19xf32> {
  %y = xf.gelu %x {kind = "tanh"} : (tensor<?x19xf32>) -> tensor<?x19xf32>
  return %y : tensor<?x19xf32>
}

func.func @silu(%x: tensor<?x19xf32> {xf.dims = ["N", "19"], xf.domain = "normal(20.0)"}) -> tensor<?x19xf32> {
  %y = xf.silu %x : (tensor<?x19xf32>) -> tensor<?x19xf32>
  return %y : tensor<?x19xf32>
}
