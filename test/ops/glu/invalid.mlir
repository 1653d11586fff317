// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @glu_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.glu' op expected axis in -2..1, found 2}}
  %y = xf.glu %x {axis = 2} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @glu_c2(%x: tensor<2x5xf32>) {
  // expected-error@+1 {{'xf.glu' op expected an even static axis, found 'tensor<2x5xf32>'}}
  %y = xf.glu %x : (tensor<2x5xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @glu_c3(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.glu' op expected y of 2x2, found 'tensor<2x3xf32>'}}
  %y = xf.glu %x : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}
