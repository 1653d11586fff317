// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @gelu_c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{'xf.gelu' op expected y of the type of x, 'tensor<2xf32>', found 'tensor<2xf16>'}}
  %y = xf.gelu %x : (tensor<2xf32>) -> tensor<2xf16>
  return
}
