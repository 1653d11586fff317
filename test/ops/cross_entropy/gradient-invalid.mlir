// RUN: dragoman-opt --check-gradients --verify-diagnostics %s

func.func @class_weight(%x: tensor<2x3xf32>, %y: tensor<2xi64> {xf.domain = "ids(3)"}, %c: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op has no gradient of class_weight}}
  %loss, %lse = xf.cross_entropy %x, %y class_weight %c : (tensor<2x3xf32>, tensor<2xi64>, tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %loss, %lse : tensor<2xf32>, tensor<2xf32>
}
