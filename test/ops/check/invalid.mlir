// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @check_c1(%c: tensor<3xi1>, %v: tensor<2xi64>) {
  // expected-error@+1 {{'xf.check' op expected value and bound to be scalars or of 3, found 'tensor<2xi64>'}}
  xf.check %c value %v {site = 0} : (tensor<3xi1>, tensor<2xi64>) -> ()
  return
}
