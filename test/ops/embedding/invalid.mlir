// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @embedding_c1(%t: tensor<9x4xf16>, %i: tensor<2xi64>) {
  // expected-error@+1 {{'xf.embedding' op expected a table [V,C] of 'f32', found 'tensor<9x4xf16>'}}
  %y = xf.embedding %t, %i : (tensor<9x4xf16>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @embedding_c2(%t: tensor<9x4xf32>, %i: tensor<2xi64>) {
  // expected-error@+1 {{'xf.embedding' op expected y of 2x4, found 'tensor<2x5xf32>'}}
  %y = xf.embedding %t, %i : (tensor<9x4xf32>, tensor<2xi64>) -> tensor<2x5xf32>
  return
}
