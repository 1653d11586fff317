// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @select_c1(%x: tensor<9xf32>, %n: tensor<i64>, %z: tensor<i64>, %e: tensor<2x3xi32>, %v: tensor<2x3xf32>) {
  // expected-error@+1 {{'xf.select' op expected logits [N,V], found 'tensor<9xf32>'}}
  %r:3 = xf.select %x count %n normalize %z edits(%e, %e, %v) {k = 4} : (tensor<9xf32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<2xf32>)
  return
}

// -----

func.func @select_c2(%x: tensor<2x9xf32>, %n: tensor<1xi64>, %z: tensor<i64>, %e: tensor<2x3xi32>, %v: tensor<2x3xf32>) {
  // expected-error@+1 {{'xf.select' op expected count and normalize to be scalars, found 'tensor<1xi64>' and 'tensor<i64>'}}
  %r:3 = xf.select %x count %n normalize %z edits(%e, %e, %v) {k = 4} : (tensor<2x9xf32>, tensor<1xi64>, tensor<i64>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<2xf32>)
  return
}

// -----

func.func @select_c3(%x: tensor<2x9xf32>, %n: tensor<i64>, %z: tensor<i64>, %e: tensor<3x3xi32>, %v: tensor<2x3xf32>) {
  // expected-error@+1 {{'xf.select' op expected edits [N,E] with N = 2, found 'tensor<3x3xi32>'}}
  %r:3 = xf.select %x count %n normalize %z edits(%e, %e, %v) {k = 4} : (tensor<2x9xf32>, tensor<i64>, tensor<i64>, tensor<3x3xi32>, tensor<3x3xi32>, tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<2xf32>)
  return
}

// -----

func.func @select_c4(%x: tensor<2x9xf32>, %n: tensor<i64>, %z: tensor<i64>, %e: tensor<2x3xi32>, %v: tensor<2x3xf32>) {
  // expected-error@+1 {{'xf.select' op expected k in 1..128, found 129}}
  %r:3 = xf.select %x count %n normalize %z edits(%e, %e, %v) {k = 129} : (tensor<2x9xf32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<2xf32>)
  return
}

// -----

func.func @select_c5(%x: tensor<2x9xf32>, %n: tensor<i64>, %z: tensor<i64>, %e: tensor<2x3xi32>, %v: tensor<2x3xf32>) {
  // expected-error@+1 {{'xf.select' op expected values and ids of 2x4, found 'tensor<2x5xf32>'}}
  %r:3 = xf.select %x count %n normalize %z edits(%e, %e, %v) {k = 4} : (tensor<2x9xf32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xf32>) -> (tensor<2x5xf32>, tensor<2x4xi32>, tensor<2xf32>)
  return
}

// -----

func.func @select_c5_lse(%x: tensor<2x9xf32>, %n: tensor<i64>, %z: tensor<i64>, %e: tensor<2x3xi32>, %v: tensor<2x3xf32>) {
  // expected-error@+1 {{'xf.select' op expected lse of 2, found 'tensor<3xf32>'}}
  %r:3 = xf.select %x count %n normalize %z edits(%e, %e, %v) {k = 4} : (tensor<2x9xf32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>, tensor<3xf32>)
  return
}
