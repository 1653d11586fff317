// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @top_k_c1(%x: tensor<f32>) {
  // expected-error@+1 {{'xf.top_k' op expected x with an axis to rank, found 'tensor<f32>'}}
  %v, %i = xf.top_k %x {k = 1} : (tensor<f32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

func.func @top_k_c2(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.top_k' op expected k in 1..4, found 5}}
  %v, %i = xf.top_k %x {k = 5} : (tensor<2x4xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
  return
}

// -----

func.func @top_k_c3(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.top_k' op expected results of 2x2, found 'tensor<2x3xi64>'}}
  %v, %i = xf.top_k %x {k = 2} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x3xi64>)
  return
}
