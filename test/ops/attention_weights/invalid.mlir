// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @attention_weights_c1(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf16>, %l: tensor<2x4x3xf32>) {
  // expected-error@+1 {{'xf.attention_weights' op expected q and k of rank 4 and one element type, found 'tensor<2x4x3x8xf32>' and 'tensor<2x2x5x8xf16>'}}
  %w = xf.attention_weights %q, %k lse %l : (tensor<2x4x3x8xf32>, tensor<2x2x5x8xf16>, tensor<2x4x3xf32>) -> tensor<2x4x3x5xf32>
  return
}

// -----

func.func @attention_weights_c2(%q: tensor<2x4x3x8xf32>, %k: tensor<2x3x5x8xf32>, %l: tensor<2x4x3xf32>) {
  // expected-error@+1 {{'xf.attention_weights' op expected k that fits q in batch, heads and head size, found 'tensor<2x4x3x8xf32>' and 'tensor<2x3x5x8xf32>'}}
  %w = xf.attention_weights %q, %k lse %l : (tensor<2x4x3x8xf32>, tensor<2x3x5x8xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3x5xf32>
  return
}

// -----

func.func @attention_weights_c3(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %l: tensor<2x4x5xf32>) {
  // expected-error@+1 {{'xf.attention_weights' op expected lse of 2x4x3 'f32', found 'tensor<2x4x5xf32>'}}
  %w = xf.attention_weights %q, %k lse %l : (tensor<2x4x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x4x5xf32>) -> tensor<2x4x3x5xf32>
  return
}

// -----

func.func @attention_weights_c4(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %l: tensor<2x4x3xf32>, %m: tensor<2x1x3x6xi1>) {
  // expected-error@+1 {{'xf.attention_weights' op expected bias and mask that broadcast to 2x4x3x5, found 'tensor<2x1x3x6xi1>'}}
  %w = xf.attention_weights %q, %k lse %l mask %m : (tensor<2x4x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x4x3xf32>, tensor<2x1x3x6xi1>) -> tensor<2x4x3x5xf32>
  return
}

// -----

func.func @attention_weights_c5(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %l: tensor<2x4x3xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{'xf.attention_weights' op expected key_count and offset with one entry per row (2), found 'tensor<3xi64>'}}
  %w = xf.attention_weights %q, %k lse %l key_count %n : (tensor<2x4x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x4x3xf32>, tensor<3xi64>) -> tensor<2x4x3x5xf32>
  return
}

// -----

func.func @attention_weights_c6(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %l: tensor<2x4x3xf32>) {
  // expected-error@+1 {{'xf.attention_weights' op expected heads in 0..3, found 4}}
  %w = xf.attention_weights %q, %k lse %l {heads = array<i64: 4>} : (tensor<2x4x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x4x3xf32>) -> tensor<2x1x3x5xf32>
  return
}

// -----

func.func @attention_weights_c7(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %l: tensor<2x4x3xf32>) {
  // expected-error@+1 {{'xf.attention_weights' op expected weights of 2x1x3x5 'f32', found 'tensor<2x4x3x5xf32>'}}
  %w = xf.attention_weights %q, %k lse %l {reduce = "mean"} : (tensor<2x4x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3x5xf32>
  return
}

// -----

func.func @attention_weights_c8(%q: tensor<2x4x3x8xf32>, %k: tensor<2x2x5x8xf32>, %l: tensor<2x4x3xf32>) {
  // expected-error@+1 {{'xf.attention_weights' op expected window sizes of -1 (open) or more, found -2 and -1}}
  %w = xf.attention_weights %q, %k lse %l {left = -2} : (tensor<2x4x3x8xf32>, tensor<2x2x5x8xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3x5xf32>
  return
}
