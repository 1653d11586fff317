// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @cross_entropy_grad_c1(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy_grad' op expected logits [N,V] with a static V and dlogits of their type, found 'tensor<3x5xf32>' and 'tensor<3x4xf32>'}}
  %a:5 = xf.cross_entropy_grad %x, %y {} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_grad_c2(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy_grad' op expected a target for each row, 3, found 'tensor<4xi64>'}}
  %a:5 = xf.cross_entropy_grad %x, %y4 {} : (tensor<3x5xf32>, tensor<4xi64>) -> (tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_grad_c3(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy_grad' op expected 'f32' of 3 for each row, found 'tensor<4xf32>'}}
  %a:5 = xf.cross_entropy_grad %x, %y dloss %l {} : (tensor<3x5xf32>, tensor<3xi64>, tensor<4xf32>) -> (tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_grad_c4(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy_grad' op expected smoothing in [0, 1), found 1.000000e+00}}
  %a:5 = xf.cross_entropy_grad %x, %y {smoothing = 1.0} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @cross_entropy_grad_c5(%x: tensor<3x5xf32>, %z: tensor<3x?xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>, %cw: tensor<4xf32>, %l: tensor<4xf32>) {
  // expected-error@+1 {{'xf.cross_entropy_grad' op expected forbidden ids that ascend within 0..4, found 1}}
  %a:5 = xf.cross_entropy_grad %x, %y {forbidden = array<i64: 2, 1>} : (tensor<3x5xf32>, tensor<3xi64>) -> (tensor<3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
