// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @cross_entropy_c1(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op expected logits [N,V] with a static V, found 'tensor<3x?xf32>'}}
  %a:2 = xf.cross_entropy %z, %y {} : (tensor<3x?xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_c2(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op expected a target for each row, 3, found 'tensor<4xi64>'}}
  %a:2 = xf.cross_entropy %x, %y4 {} : (tensor<3x5xf32>, tensor<4xi64>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_c2_weight(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op expected class weights of 5 'f32', found 'tensor<4xf32>'}}
  %a:2 = xf.cross_entropy %x, %y class_weight %cw {} : (tensor<3x5xf32>, tensor<3xi64>, tensor<4xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_c3(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op expected 'f32' of 3 for each row, found 'tensor<4xf32>'}}
  %a:2 = xf.cross_entropy %x, %y {} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cross_entropy_c3_sum(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op expected a reduced loss of one 'f32', found 'tensor<3xf32>'}}
  %a:2 = xf.cross_entropy %x, %y {reduce = "sum"} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_c4(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op expected smoothing in [0, 1), found 1.000000e+00}}
  %a:2 = xf.cross_entropy %x, %y {smoothing = 1.0} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_c5(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op expected forbidden ids that ascend within 0..4, found 1}}
  %a:2 = xf.cross_entropy %x, %y {forbidden = array<i64: 2, 1>} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_c5_all(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy' op expected an id that is not forbidden, found 5 ids, all forbidden}}
  %a:2 = xf.cross_entropy %x, %y {forbidden = array<i64: 0, 1, 2, 3, 4>} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}
