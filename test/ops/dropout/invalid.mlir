// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @dropout_c1(%x: tensor<2x4xf32>, %s: tensor<i64>, %k: tensor<2xi64>) {
  // expected-error@+1 {{'xf.dropout' op expected y of the type of x, 'tensor<2x4xf32>', found 'tensor<2x5xf32>'}}
  %y = xf.dropout %x seed %s row_key %k {p = 0.1, site = 0} : (tensor<2x4xf32>, tensor<i64>, tensor<2xi64>) -> tensor<2x5xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<2x1x1x1x4xf32>, %s: tensor<i64>, %k: tensor<2xi64>) {
  // expected-error@+1 {{'xf.dropout' op expected x of rank 1 to 4, found 'tensor<2x1x1x1x4xf32>'}}
  %y = xf.dropout %x seed %s row_key %k {p = 0.1, site = 0} : (tensor<2x1x1x1x4xf32>, tensor<i64>, tensor<2xi64>) -> tensor<2x1x1x1x4xf32>
  return
}

// -----

func.func @dropout_c3(%x: tensor<2x4xf32>, %s: tensor<1xi64>, %k: tensor<2xi64>) {
  // expected-error@+1 {{'xf.dropout' op expected a scalar seed, found 'tensor<1xi64>'}}
  %y = xf.dropout %x seed %s row_key %k {p = 0.1, site = 0} : (tensor<2x4xf32>, tensor<1xi64>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dropout_c4(%x: tensor<2x4xf32>, %s: tensor<i64>, %k: tensor<4xi64>) {
  // expected-error@+1 {{'xf.dropout' op expected one row key per row of 'tensor<2x4xf32>', found 'tensor<4xi64>'}}
  %y = xf.dropout %x seed %s row_key %k {p = 0.1, site = 0} : (tensor<2x4xf32>, tensor<i64>, tensor<4xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dropout_c5(%x: tensor<2x4xf32>, %s: tensor<i64>, %k: tensor<2xi64>) {
  // expected-error@+1 {{'xf.dropout' op expected p of at least 0 and below 1, found 1.000000e+00}}
  %y = xf.dropout %x seed %s row_key %k {p = 1.0, site = 0} : (tensor<2x4xf32>, tensor<i64>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dropout_c6(%x: tensor<2x4xf32>, %s: tensor<i64>, %k: tensor<2xi64>) {
  // expected-error@+1 {{'xf.dropout' op expected a site in 0..65535, found 65536}}
  %y = xf.dropout %x seed %s row_key %k {p = 0.1, site = 65536} : (tensor<2x4xf32>, tensor<i64>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}
