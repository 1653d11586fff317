// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @silu(%x: tensor<?x38xf32> {xf.dims = ["N", "38"], xf.domain = "normal(3.0)"}) -> tensor<?x19xf32> {
  %y = xf.glu %x {gate = "silu", gate_first} : (tensor<?x38xf32>) -> tensor<?x19xf32>
  return %y : tensor<?x19xf32>
}

func.func @gelu(%x: tensor<?x32xf32> {xf.dims = ["N", "32"], xf.domain = "normal(3.0)"}) -> tensor<?x16xf32> {
  %y = xf.glu %x {gate = "gelu"} : (tensor<?x32xf32>) -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

func.func @inner_axis(%x: tensor<?x6x5xf32> {xf.dims = ["N", "6", "5"]}) -> tensor<?x3x5xf32> {
  %y = xf.glu %x {axis = 1, gate = "identity"} : (tensor<?x6x5xf32>) -> tensor<?x3x5xf32>
  return %y : tensor<?x3x5xf32>
}
