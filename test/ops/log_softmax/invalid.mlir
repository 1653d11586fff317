// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @log_softmax_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.log_softmax' op expected y of the type of x, 'tensor<2x4xf32>', found 'tensor<2x5xf32>'}}
  %y = xf.log_softmax %x : (tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @log_softmax_c2(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{'xf.log_softmax' op expected axis in -2..1, found 2}}
  %y = xf.log_softmax %x {axis = 2} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @log_softmax_c3(%x: tensor<2x4xf32>, %e: tensor<2x3xi1>) {
  // expected-error@+1 {{'xf.log_softmax' op expected mask to broadcast to 2x4, found 'tensor<2x3xi1>'}}
  %y = xf.log_softmax %x mask %e : (tensor<2x4xf32>, tensor<2x3xi1>) -> tensor<2x4xf32>
  return
}

// -----

func.func @log_softmax_c4(%x: tensor<2x4xf32>, %e: tensor<4xi64>) {
  // expected-error@+1 {{'xf.log_softmax' op expected key_count of one entry per row (2), found 'tensor<4xi64>'}}
  %y = xf.log_softmax %x key_count %e : (tensor<2x4xf32>, tensor<4xi64>) -> tensor<2x4xf32>
  return
}
