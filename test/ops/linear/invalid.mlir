// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @linear_c1(%x: tensor<2x4xf32>, %w: tensor<8x4xf16>) {
  // expected-error@+1 {{'xf.linear' op expected x, w, b and y to share element type 'f32', found w 'tensor<8x4xf16>' and y 'tensor<2x8xf32>'}}
  %y = xf.linear %x, %w : (tensor<2x4xf32>, tensor<8x4xf16>) -> tensor<2x8xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<2x4xf32>, %w: tensor<8x?xf32>) {
  // expected-error@+1 {{'xf.linear' op expected w of static shape [N,K], found 'tensor<8x?xf32>'}}
  %y = xf.linear %x, %w : (tensor<2x4xf32>, tensor<8x?xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @linear_c3(%x: tensor<2x3xf32>, %w: tensor<8x4xf32>) {
  // expected-error@+1 {{'xf.linear' op expected the last axis of x to be K = 4, found 'tensor<2x3xf32>'}}
  %y = xf.linear %x, %w : (tensor<2x3xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @linear_c4(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>) {
  // expected-error@+1 {{'xf.linear' op expected y of 2x8, found 'tensor<2x9xf32>'}}
  %y = xf.linear %x, %w : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @linear_c5(%x: tensor<2x4xf32>, %w: tensor<8x4xf32>, %b: tensor<9xf32>) {
  // expected-error@+1 {{'xf.linear' op expected b of 8 entries, found 'tensor<9xf32>'}}
  %y = xf.linear %x, %w bias %b : (tensor<2x4xf32>, tensor<8x4xf32>, tensor<9xf32>) -> tensor<2x8xf32>
  return
}
