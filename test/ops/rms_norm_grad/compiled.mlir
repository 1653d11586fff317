// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @tail(%dy: tensor<?x?x37xf32> {xf.dims = ["B", "S", "37"]}, %x: tensor<?x?x37xf32> {xf.dims = ["B", "S", "37"], xf.domain = "normal(3.0)"}, %g: tensor<37xf32> {xf.dims = ["37"]}) -> (tensor<?x?x37xf32>, tensor<?x?xf32>) {
  %d, %r = xf.rms_norm_grad %dy, %x gain %g {eps = 1.0e-5} : (tensor<?x?x37xf32>, tensor<?x?x37xf32>, tensor<37xf32>) -> (tensor<?x?x37xf32>, tensor<?x?xf32>)
  return %d, %r : tensor<?x?x37xf32>, tensor<?x?xf32>
}

func.func @two_axes(%dy: tensor<?x3x16xf32> {xf.dims = ["N", "3", "16"]}, %x: tensor<?x3x16xf32> {xf.dims = ["N", "3", "16"]}, %g: tensor<3x16xf32> {xf.dims = ["3", "16"]}) -> tensor<?x3x16xf32> {
  %d, %r = xf.rms_norm_grad %dy, %x gain %g {eps = 1.0e-3, axes = 2} : (tensor<?x3x16xf32>, tensor<?x3x16xf32>, tensor<3x16xf32>) -> (tensor<?x3x16xf32>, tensor<?xf32>)
  return %d : tensor<?x3x16xf32>
}

// The statistics alone.
func.func @statistics(%x: tensor<?x48xf32> {xf.dims = ["N", "48"]}) -> tensor<?xf32> {
  %d, %r = xf.rms_norm_grad %x, %x {eps = 1.0e-3} : (tensor<?x48xf32>, tensor<?x48xf32>) -> (tensor<?x48xf32>, tensor<?xf32>)
  return %r : tensor<?xf32>
}

func.func @one_element(%dy: tensor<?x1xf32> {xf.dims = ["N", "1"]}, %x: tensor<?x1xf32> {xf.dims = ["N", "1"]}) -> tensor<?x1xf32> {
  %d, %r = xf.rms_norm_grad %dy, %x {eps = 1.0} : (tensor<?x1xf32>, tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?xf32>)
  return %d : tensor<?x1xf32>
}

// Both operands are computed in the kernel.
func.func @pulled(%a: tensor<?x50xf32> {xf.dims = ["N", "50"]}, %b: tensor<?x50xf32> {xf.dims = ["N", "50"]}, %g: tensor<50xf32> {xf.dims = ["50"]}) -> (tensor<?x50xf32>, tensor<?xf32>) {
  %dy = arith.addf %a, %b : tensor<?x50xf32>
  %x = arith.subf %a, %b : tensor<?x50xf32>
  %d, %r = xf.rms_norm_grad %dy, %x gain %g {eps = 1.0e-5} : (tensor<?x50xf32>, tensor<?x50xf32>, tensor<50xf32>) -> (tensor<?x50xf32>, tensor<?xf32>)
  return %d, %r : tensor<?x50xf32>, tensor<?xf32>
}

// A constant row, a NaN that stays in its row, and a large common offset.
func.func @special() -> tensor<3x2xf32> {
  %dy = arith.constant dense<[[2.0, 1.0], [1.0, 1.0], [1.0, 3.0]]> : tensor<3x2xf32>
  %x = arith.constant dense<[[2.0, 2.0], [0x7FC00000, 1.0], [1.0e4, 1.0001e4]]> : tensor<3x2xf32>
  %d, %r = xf.rms_norm_grad %dy, %x {eps = 3.0} : (tensor<3x2xf32>, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3xf32>)
  return %d : tensor<3x2xf32>
}
