// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @matmul_c1(%a: tensor<3x2x4xf32>, %b: tensor<3x4x5xf16>) {
  // expected-error@+1 {{'xf.matmul' op expected a, b and c to share element type 'f32', found 'tensor<3x4x5xf16>' and 'tensor<3x2x5xf32>'}}
  %c = xf.matmul %a, %b : (tensor<3x2x4xf32>, tensor<3x4x5xf16>) -> tensor<3x2x5xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<3x2x4xf32>, %b: tensor<4x5xf32>) {
  // expected-error@+1 {{'xf.matmul' op expected a, b and c of one rank of at least 2, found 'tensor<3x2x4xf32>', 'tensor<4x5xf32>' and 'tensor<3x2x5xf32>'}}
  %c = xf.matmul %a, %b : (tensor<3x2x4xf32>, tensor<4x5xf32>) -> tensor<3x2x5xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<3x2x4xf32>, %b: tensor<3x6x5xf32>) {
  // expected-error@+1 {{'xf.matmul' op expected a and b to agree in K, found 4 and 6}}
  %c = xf.matmul %a, %b : (tensor<3x2x4xf32>, tensor<3x6x5xf32>) -> tensor<3x2x5xf32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<3x2x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'xf.matmul' op expected c to end in 2x5, found 'tensor<3x2x6xf32>'}}
  %c = xf.matmul %a, %b : (tensor<3x2x4xf32>, tensor<3x4x5xf32>) -> tensor<3x2x6xf32>
  return
}

// -----

func.func @matmul_c5(%a: tensor<3x2x4xf32>, %b: tensor<2x4x5xf32>) {
  // expected-error@+1 {{'xf.matmul' op expected batch axis 0 to be equal or 1, found 3 and 2}}
  %c = xf.matmul %a, %b : (tensor<3x2x4xf32>, tensor<2x4x5xf32>) -> tensor<3x2x5xf32>
  return
}

// -----

func.func @matmul_c5_result(%a: tensor<3x2x4xf32>, %b: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'xf.matmul' op expected batch axis 0 of c to be 3, found 2}}
  %c = xf.matmul %a, %b : (tensor<3x2x4xf32>, tensor<3x4x5xf32>) -> tensor<2x2x5xf32>
  return
}
