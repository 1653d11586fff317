// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @sgd_c1(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.sgd' op expected gradient, moments and results of the type of p, 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %a:2 = xf.sgd %p, %q momentum %p lr %r step %k {momentum = 0.9} : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c2(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.sgd' op expected lr, step, scale and skip to be scalars, floats of 'f32', found 'tensor<1xi64>'}}
  %a:2 = xf.sgd %p, %p momentum %p lr %r step %k1 {momentum = 0.9} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<1xi64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c3(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.sgd' op expected a finite dampening of 0 or more, found -1.000000e-01}}
  %a:2 = xf.sgd %p, %p momentum %p lr %r step %k {momentum = 0.9, dampening = -0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c4(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.sgd' op expected a state of momentum and its result, as for a momentum above 0, or neither and 0, found 9.000000e-01}}
  %a = xf.sgd %p, %p lr %r step %k {momentum = 0.9} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @sgd_c5(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.sgd' op expected a state of momentum for nesterov}}
  %a = xf.sgd %p, %p lr %r step %k {nesterov = true} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @sgd_c6(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.sgd' op expected decay_end of -1 or more, found -2}}
  %a:2 = xf.sgd %p, %p momentum %p lr %r step %k {momentum = 0.9, decay_end = -2} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
