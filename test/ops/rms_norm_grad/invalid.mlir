// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @rms_norm_grad_c1(%y: tensor<2x5xf32>, %x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.rms_norm_grad' op expected dy and dx of the type of x, 'tensor<2x4xf32>', found 'tensor<2x5xf32>'}}
  %d, %r = xf.rms_norm_grad %y, %x {eps = 1.0e-5} : (tensor<2x5xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rms_norm_grad_c2(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.rms_norm_grad' op expected axes in 1..2, found 3}}
  %d, %r = xf.rms_norm_grad %x, %x {eps = 1.0e-5, axes = 3} : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rms_norm_grad_c3(%x: tensor<2x?xf32>) {
  // expected-error@+1 {{'xf.rms_norm_grad' op expected static normalised axes, found 'tensor<2x?xf32>'}}
  %d, %r = xf.rms_norm_grad %x, %x {eps = 1.0e-5} : (tensor<2x?xf32>, tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rms_norm_grad_c4(%x: tensor<2x4xf32>, %g: tensor<5xf32>) {
  // expected-error@+1 {{'xf.rms_norm_grad' op expected a gain of 4 'f32', found 'tensor<5xf32>'}}
  %d, %r = xf.rms_norm_grad %x, %x gain %g {eps = 1.0e-5} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<5xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rms_norm_grad_c5(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.rms_norm_grad' op expected a finite eps of 0 or more, found -1.000000e+00}}
  %d, %r = xf.rms_norm_grad %x, %x {eps = -1.0} : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rms_norm_grad_c6(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.rms_norm_grad' op expected rstd of 'tensor<2xf32>', found 'tensor<3xf32>'}}
  %d, %r = xf.rms_norm_grad %x, %x {eps = 1.0e-5} : (tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<3xf32>)
  return
}
