// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @layer_norm_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.layer_norm' op expected y of the type of x, 'tensor<2x4xf32>', found 'tensor<2x5xf32>'}}
  %y = xf.layer_norm %x {eps = 1.0e-5} : (tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.layer_norm' op expected axes in 1..2, found 3}}
  %y = xf.layer_norm %x {eps = 1.0e-5, axes = 3} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<2x?xf32>) {
  // expected-error@+1 {{'xf.layer_norm' op expected static normalised axes, found 'tensor<2x?xf32>'}}
  %y = xf.layer_norm %x {eps = 1.0e-5} : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @layer_norm_c4(%x: tensor<2x4xf32>, %g: tensor<5xf32>) {
  // expected-error@+1 {{'xf.layer_norm' op expected gain and bias of 4 'f32', found 'tensor<5xf32>'}}
  %y = xf.layer_norm %x gain %g {eps = 1.0e-5} : (tensor<2x4xf32>, tensor<5xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_c5(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.layer_norm' op expected a finite eps of 0 or more, found -1.000000e+00}}
  %y = xf.layer_norm %x {eps = -1.0} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}
