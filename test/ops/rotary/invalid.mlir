// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @rotary_c1(%x: tensor<1x1x2x4xf32>, %c: tensor<5x2xf32>) {
  // expected-error@+1 {{'xf.rotary' op expected y of the type of x, 'tensor<1x1x2x4xf32>', found 'tensor<1x1x2x5xf32>'}}
  %y = xf.rotary %x, %c, %c : (tensor<1x1x2x4xf32>, tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<1x1x2x5xf32>
  return
}

// -----

func.func @rotary_c2(%x: tensor<1x1x2x?xf32>, %c: tensor<5x2xf32>) {
  // expected-error@+1 {{'xf.rotary' op expected x of rank 4 with a static head size, found 'tensor<1x1x2x?xf32>'}}
  %y = xf.rotary %x, %c, %c : (tensor<1x1x2x?xf32>, tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<1x1x2x?xf32>
  return
}

// -----

func.func @rotary_c3(%x: tensor<1x1x2x4xf32>, %c: tensor<5x2xf32>, %s: tensor<5x1xf32>) {
  // expected-error@+1 {{'xf.rotary' op expected cos and sin of one type [P,R/2] of 'f32', found 'tensor<5x2xf32>' and 'tensor<5x1xf32>'}}
  %y = xf.rotary %x, %c, %s : (tensor<1x1x2x4xf32>, tensor<5x2xf32>, tensor<5x1xf32>) -> tensor<1x1x2x4xf32>
  return
}

// -----

func.func @rotary_c4(%x: tensor<1x1x2x4xf32>, %c: tensor<5x3xf32>) {
  // expected-error@+1 {{'xf.rotary' op expected at most half the head size (4) of angles, found 3}}
  %y = xf.rotary %x, %c, %c : (tensor<1x1x2x4xf32>, tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<1x1x2x4xf32>
  return
}

// -----

func.func @rotary_c5(%x: tensor<1x1x2x4xf32>, %c: tensor<5x2xf32>, %p: tensor<1x3xi64>) {
  // expected-error@+1 {{'xf.rotary' op expected positions of 1x2, found 'tensor<1x3xi64>'}}
  %y = xf.rotary %x, %c, %c positions %p : (tensor<1x1x2x4xf32>, tensor<5x2xf32>, tensor<5x2xf32>, tensor<1x3xi64>) -> tensor<1x1x2x4xf32>
  return
}
