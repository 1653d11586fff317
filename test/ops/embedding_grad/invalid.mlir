// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @embedding_grad_c1(%d: tensor<2x4xf16>, %i: tensor<2xi64>) {
  // expected-error@+1 {{'xf.embedding_grad' op expected dtable of a static [V,C] of 'f32', found 'tensor<?x4xf32>'}}
  %y = xf.embedding_grad %d, %i : (tensor<2x4xf16>, tensor<2xi64>) -> tensor<?x4xf32>
  return
}

// -----

func.func @embedding_grad_c2(%d: tensor<2x4xf32>, %i: tensor<3xi64>) {
  // expected-error@+1 {{'xf.embedding_grad' op expected dy of 3x4, found 'tensor<2x4xf32>'}}
  %y = xf.embedding_grad %d, %i : (tensor<2x4xf32>, tensor<3xi64>) -> tensor<9x4xf32>
  return
}
