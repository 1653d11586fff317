// RUN: dragoman-opt --check-gradients %s
// RUN: dragoman-opt --xf-decompose --check-gradients %s

func.func @rms_norm_g1(%x: tensor<?x5xf32> {xf.dims = ["N", "5"]}) -> tensor<?x5xf32> {
  %y = xf.rms_norm %x {eps = 0.1} : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

func.func @rms_norm_g2(%x: tensor<?x?x5xf32> {xf.dims = ["B", "T", "5"]}, %g: tensor<5xf32>) -> tensor<?x?x5xf32> {
  %y = xf.rms_norm %x gain %g {eps = 1.0e-3} : (tensor<?x?x5xf32>, tensor<5xf32>) -> tensor<?x?x5xf32>
  return %y : tensor<?x?x5xf32>
}

// The last two axes together.
func.func @rms_norm_g2_axes(%x: tensor<?x2x3xf32> {xf.dims = ["N", "2", "3"]}, %g: tensor<2x3xf32>) -> tensor<?x2x3xf32> {
  %y = xf.rms_norm %x gain %g {eps = 1.0e-3, axes = 2} : (tensor<?x2x3xf32>, tensor<2x3xf32>) -> tensor<?x2x3xf32>
  return %y : tensor<?x2x3xf32>
}

// One gain for two norms.
func.func @rms_norm_g2_tied(%x: tensor<2x5xf32>, %g: tensor<5xf32>) -> tensor<2x5xf32> {
  %y = xf.rms_norm %x gain %g {eps = 0.1} : (tensor<2x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  %z = xf.rms_norm %y gain %g {eps = 0.2} : (tensor<2x5xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  return %z : tensor<2x5xf32>
}
