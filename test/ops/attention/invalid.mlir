// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf16>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected q, k, v and out to share element type 'f32', found 'f16'}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf16>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c2(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected rank 4, found 'tensor<1x2x5xf32>'}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<1x2x5xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c3(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected lse of 'f32', found 'tensor<1x2x3xf64>'}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf64>)
  return
}

// -----

func.func @attention_c4(%q: tensor<1x?x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected static heads and head sizes}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x?x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c5(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected key head size (8) to match query head size (4)}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c6(%q: tensor<1x3x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected key heads (2) to divide query heads (3)}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x3x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x3x3x4xf32>, tensor<1x3x3xf32>)
  return
}

// -----

func.func @attention_c7(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x6x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected k and v to agree in batch, heads and length, found 'tensor<1x2x5x4xf32>' and 'tensor<1x2x6x4xf32>'}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x6x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c8(%q: tensor<1x2x3x4xf32>, %k: tensor<2x2x5x4xf32>, %v: tensor<2x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected q and k to agree in batch, found 1 and 2}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c9_out(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected out of batch, heads, length, size 1x2x3x4, found 'tensor<1x2x9x4xf32>'}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x9x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c9_lse(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected lse of 1x2x3, found 'tensor<1x2x9xf32>'}}
  %o, %l = xf.attention %q, %k, %v : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x9xf32>)
  return
}

// -----

func.func @attention_c10(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %m: tensor<1x2x2x5xi1>) {
  // expected-error@+1 {{'xf.attention' op expected bias and mask to broadcast to 1x2x3x5, found 'tensor<1x2x2x5xi1>'}}
  %o, %l = xf.attention %q, %k, %v mask %m : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x2x5xi1>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c11(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{'xf.attention' op expected key_count of one entry per row (1), found 'tensor<2xi64>'}}
  %o, %l = xf.attention %q, %k, %v key_count %n : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<2xi64>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c12(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{'xf.attention' op expected offset of rank 0 or one entry per row (1), found 'tensor<2xi64>'}}
  %o, %l = xf.attention %q, %k, %v offset %n : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<2xi64>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c13(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %r: tensor<2x5xi32>) {
  // expected-error@+1 {{'xf.attention' op expected rows of 1x?, found 'tensor<2x5xi32>'}}
  %o, %l = xf.attention %q, %k, %v rows %r : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<2x5xi32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c14(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected a window of -1 (open) or more, found left -2 and right -1}}
  %o, %l = xf.attention %q, %k, %v {left = -2} : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c15(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected a finite softcap of 0 or more, found -1.000000e+00}}
  %o, %l = xf.attention %q, %k, %v {softcap = -1.0} : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c16_type(%q: tensor<1x2x3x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected the score region to take ('f32', index, index, index, index) and yield 'f32'}}
  %o, %l = xf.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index):
    xf.yield %s : f32
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c16_pure(%q: tensor<1x2x3x4xf32>, %m: memref<4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected pure ops in the score region, found memref.load}}
  %o, %l = xf.attention %q, %q, %q score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = memref.load %m[%j] : memref<4xf32>
    xf.yield %x : f32
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c17_keys(%q: tensor<1x2x3x4xf32>, %s: tensor<i64>, %r: tensor<2xi64>) {
  // expected-error@+1 {{'xf.attention' op expected dropout in 0..1 with a scalar seed and a row key per row (1), found dropout 5.000000e-01}}
  %o, %l = xf.attention %q, %q, %q seed %s row_key %r {dropout = 0.5} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<i64>, tensor<2xi64>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @attention_c17_site(%q: tensor<1x2x3x4xf32>) {
  // expected-error@+1 {{'xf.attention' op expected a dropout site in 0..65535, found -1}}
  %o, %l = xf.attention %q, %q, %q {site = -1} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3xf32>)
  return
}
