// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @adagrad_c1(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adagrad' op expected gradient, moments and results of the type of p, 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %a:2 = xf.adagrad %p, %q, %p lr %r step %k {eps = 0.1} : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adagrad_c2(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adagrad' op expected lr, step, scale and skip to be scalars, floats of 'f32', found 'tensor<1xi64>'}}
  %a:2 = xf.adagrad %p, %p, %p lr %r step %k1 {eps = 0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<1xi64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adagrad_c3(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adagrad' op expected a finite lr_decay of 0 or more, found -1.000000e-01}}
  %a:2 = xf.adagrad %p, %p, %p lr %r step %k {eps = 0.1, lr_decay = -0.1} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adagrad_c4(%p: tensor<4xf32>, %q: tensor<5xf32>, %r: tensor<f32>, %k: tensor<i64>, %k1: tensor<1xi64>) {
  // expected-error@+1 {{'xf.adagrad' op expected decay_end of -1 or more, found -2}}
  %a:2 = xf.adagrad %p, %p, %p lr %r step %k {eps = 0.1, decay_end = -2} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
