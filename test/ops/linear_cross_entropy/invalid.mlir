// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @linear_cross_entropy_c1(%d: tensor<3xf32>, %h: tensor<3x2xf32>, %w: tensor<5x2xf32>, %w3: tensor<5x3xf32>, %b: tensor<4xf32>, %b5: tensor<5xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>) {
  // expected-error@+1 {{'xf.linear_cross_entropy' op expected h [N,C] and a static w [V,C] of one element type, found 'tensor<3x2xf32>' and 'tensor<5x3xf32>'}}
  %a:3 = xf.linear_cross_entropy %h, %w3 target %y {} : (tensor<3x2xf32>, tensor<5x3xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @linear_cross_entropy_c2(%d: tensor<3xf32>, %h: tensor<3x2xf32>, %w: tensor<5x2xf32>, %w3: tensor<5x3xf32>, %b: tensor<4xf32>, %b5: tensor<5xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>) {
  // expected-error@+1 {{'xf.linear_cross_entropy' op expected a bias 'tensor<5xf32>', found 'tensor<4xf32>'}}
  %a:3 = xf.linear_cross_entropy %h, %w bias %b target %y {} : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<4xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @linear_cross_entropy_c3(%d: tensor<3xf32>, %h: tensor<3x2xf32>, %w: tensor<5x2xf32>, %w3: tensor<5x3xf32>, %b: tensor<4xf32>, %b5: tensor<5xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>) {
  // expected-error@+1 {{'xf.linear_cross_entropy' op expected a target for each row, 3, found 'tensor<4xi64>'}}
  %a:3 = xf.linear_cross_entropy %h, %w target %y4 {} : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<4xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @linear_cross_entropy_c4(%d: tensor<3xf32>, %h: tensor<3x2xf32>, %w: tensor<5x2xf32>, %w3: tensor<5x3xf32>, %b: tensor<4xf32>, %b5: tensor<5xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>) {
  // expected-error@+1 {{'xf.linear_cross_entropy' op expected 'f32' of 3 for each row, found 'tensor<4xf32>'}}
  %a:3 = xf.linear_cross_entropy %h, %w target %y {} : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<3xi64>) -> (tensor<4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @linear_cross_entropy_c5(%d: tensor<3xf32>, %h: tensor<3x2xf32>, %w: tensor<5x2xf32>, %w3: tensor<5x3xf32>, %b: tensor<4xf32>, %b5: tensor<5xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>) {
  // expected-error@+1 {{'xf.linear_cross_entropy' op expected smoothing in [0, 1), found 1.000000e+00}}
  %a:3 = xf.linear_cross_entropy %h, %w target %y {smoothing = 1.0} : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @linear_cross_entropy_c6(%d: tensor<3xf32>, %h: tensor<3x2xf32>, %w: tensor<5x2xf32>, %w3: tensor<5x3xf32>, %b: tensor<4xf32>, %b5: tensor<5xf32>, %y: tensor<3xi64>, %y4: tensor<4xi64>) {
  // expected-error@+1 {{'xf.linear_cross_entropy' op expected forbidden ids that ascend within 0..4, found 1}}
  %a:3 = xf.linear_cross_entropy %h, %w target %y {forbidden = array<i64: 2, 1>} : (tensor<3x2xf32>, tensor<5x2xf32>, tensor<3xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
