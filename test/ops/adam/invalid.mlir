// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @adam_c1(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adam' op expected gradient, moments and results of the type of p, 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %a:3 = xf.adam %p, %q, %p, %p lr %r step %k {beta1 = 0.9, beta2 = 0.9, eps = 0.1} : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_c2(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adam' op expected lr, step, scale and skip to be scalars, floats of 'f32', found 'tensor<1xi64>'}}
  %a:3 = xf.adam %p, %p, %p, %p lr %r step %k1 {beta1 = 0.9, beta2 = 0.9, eps = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<1xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_c3(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adam' op expected beta2 in [0, 1), found 1.000000e+00}}
  %a:3 = xf.adam %p, %p, %p, %p lr %r step %k {beta1 = 0.9, beta2 = 1.0, eps = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_c4(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adam' op expected a finite eps of 0 or more, found -1.000000e-01}}
  %a:3 = xf.adam %p, %p, %p, %p lr %r step %k {beta1 = 0.9, beta2 = 0.9, eps = -0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_c5(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adam' op expected a finite decay of 0 or more, found -1.000000e+00}}
  %a:3 = xf.adam %p, %p, %p, %p lr %r step %k {beta1 = 0.9, beta2 = 0.9, eps = 0.1, decay = -1.0} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_c5_end(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adam' op expected decay_end of -1 or more, found -2}}
  %a:3 = xf.adam %p, %p, %p, %p lr %r step %k {beta1 = 0.9, beta2 = 0.9, eps = 0.1, decay_end = -2} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
