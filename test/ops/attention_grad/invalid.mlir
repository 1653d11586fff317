// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @attention_grad_c1(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf16>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected dout, q, k, v and out to share element type 'f32', found 'f16'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf16>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf16>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c2(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected dout, q, k, v and out of rank 4, found 'tensor<1x2x5xf32>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c3(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf64>) {
  // expected-error@+1 {{'xf.attention_grad' op expected lse and dlse of rank 3 and 'f32', found 'tensor<1x2x3xf64>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf64>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c4(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x?x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected static heads and head sizes of q, k, v}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x?x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x?x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c5(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected k and v that fit q, found 'tensor<1x2x3x4xf32>', 'tensor<1x2x5x8xf32>' and 'tensor<1x2x5x4xf32>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c6_out(%dout: tensor<1x2x9x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected out and dout of batch, heads, length, size 1x2x3x4, found 'tensor<1x2x9x4xf32>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x9x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c6_lse(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x9xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected lse and dlse of 1x2x3, found 'tensor<1x2x9xf32>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x9xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c7(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>, %m: tensor<1x2x2x5xi1>) {
  // expected-error@+1 {{'xf.attention_grad' op expected bias and mask that broadcast to 1x2x3x5, found 'tensor<1x2x2x5xi1>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse mask %m : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>, tensor<1x2x2x5xi1>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c8_count(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{'xf.attention_grad' op expected key_count with one entry per row (1), found 'tensor<2xi64>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse key_count %n : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>, tensor<2xi64>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c8_offset(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{'xf.attention_grad' op expected a scalar offset or one entry per row (1), found 'tensor<2xi64>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse offset %n : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>, tensor<2xi64>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c9(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected window sizes of -1 (open) or more, found -2 and -1}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse {left = -2} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c10(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected softcap finite and 0 or more, found -1}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse {softcap = -1.0} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c11(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected a score region and its reverse, or neither}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    xf.yield %s : f32
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c12(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected score_reads to name captured float tensors, found 0}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse {score_reads = array<i64: 0>} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    xf.yield %s : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    xf.yield %c : f32
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c13(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected the prob region to be pure, take ('f32', index, index, index, index) and yield 'f32'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse prob {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: i64):
    xf.yield %s : f32
  } prob_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    xf.yield %c : f32
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c14(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>, %t: tensor<2xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected the score_reverse region to be pure, take ('f32', index, index, index, index, 'f32') and yield 3 values: 'f32', and for each read 'f32' and its indices}}
  %g:4 = xf.attention_grad %dout, %q, %k, %v out %out %lse captures(%t) {score_reads = array<i64: 0>} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    xf.yield %s : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    xf.yield %c : f32
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>, tensor<2xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32> captures tensor<1x2x2xf32>
  return
}

// -----

func.func @attention_grad_c15_bias(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected a bias where there is a gradient of it}}
  %g:4 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32> bias tensor<1x1x1x5xf32>
  return
}

// -----

func.func @attention_grad_c15_captures(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>, %t: tensor<2xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected 1 gradients of captures, found 0}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse captures(%t) {score_reads = array<i64: 0>} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    xf.yield %s : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    xf.yield %c, %c, %h : f32, f32, index
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>, tensor<2xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c15_capture(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>, %t: tensor<2xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected the gradient of a capture of 1x2x2 'f32', found 'tensor<2xf32>'}}
  %g:4 = xf.attention_grad %dout, %q, %k, %v out %out %lse captures(%t) {score_reads = array<i64: 0>} score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    xf.yield %s : f32
  } score_reverse {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32):
    xf.yield %c, %c, %h : f32, f32, index
  } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>, tensor<2xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32> captures tensor<2xf32>
  return
}

// -----

func.func @attention_grad_c16_keys(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected dropout in 0..1 with a scalar seed and one row key for each row (1), found dropout 5.000000e-01}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse {dropout = 0.5} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c16_site(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected a dropout site in the range 0..65535, found 65536}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse {site = 65536} : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
  return
}

// -----

func.func @attention_grad_c15_type(%dout: tensor<1x2x3x4xf32>, %q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>, %v: tensor<1x2x5x4xf32>, %out: tensor<1x2x3x4xf32>, %lse: tensor<1x2x3xf32>) {
  // expected-error@+1 {{'xf.attention_grad' op expected a gradient of type 'tensor<1x2x5x4xf32>', found 'tensor<1x2x9x4xf32>'}}
  %g:3 = xf.attention_grad %dout, %q, %k, %v out %out %lse : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3xf32>) -> tensor<1x2x3x4xf32>, tensor<1x2x9x4xf32>, tensor<1x2x5x4xf32>
  return
}
