// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @global_norm_c1(%g: tensor<2x2xf32>) {
  // expected-error@+1 {{'xf.global_norm' op expected g [P], found 'tensor<2x2xf32>'}}
  %n = xf.global_norm %g : (tensor<2x2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @global_norm_c2(%g: tensor<4xf32>) {
  // expected-error@+1 {{'xf.global_norm' op expected ends of groups in ascending order, found 2 behind 3}}
  %n = xf.global_norm %g {groups = array<i64: 3, 2, 4>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @global_norm_c2_end(%g: tensor<4xf32>) {
  // expected-error@+1 {{'xf.global_norm' op expected the last group to end at the end of g, 4, found 3}}
  %n = xf.global_norm %g {groups = array<i64: 3>} : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @global_norm_c3(%g: tensor<4xf32>) {
  // expected-error@+1 {{'xf.global_norm' op expected 1 norms of 'f32', found 'tensor<2xf32>'}}
  %n = xf.global_norm %g : (tensor<4xf32>) -> tensor<2xf32>
  return
}
