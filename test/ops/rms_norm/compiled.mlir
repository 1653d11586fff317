// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @tail(%x: tensor<?x37xf32> {xf.dims = ["N", "37"], xf.domain = "normal(3.0)"}, %g: tensor<37xf32> {xf.dims = ["37"]}) -> tensor<?x37xf32> {
  %y = xf.rms_norm %x gain %g {eps = 1.0e-6} : (tensor<?x37xf32>, tensor<37xf32>) -> tensor<?x37xf32>
  return %y : tensor<?x37xf32>
}

func.func @two_axes(%x: tensor<?x3x16xf32> {xf.dims = ["N", "3", "16"]}) -> tensor<?x3x16xf32> {
  %y = xf.rms_norm %x {eps = 1.0e-3, axes = 2} : (tensor<?x3x16xf32>) -> tensor<?x3x16xf32>
  return %y : tensor<?x3x16xf32>
}
