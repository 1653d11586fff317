// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'func.func' op expected xf.dims to be an array with one dimension expression per axis of 'tensor<?x4xf32>', found ["B"]}}
func.func @one_per_axis(%x: tensor<?x4xf32> {xf.dims = ["B"]}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op expected xf.dims to hold strings, found 4 : i64}}
func.func @strings(%x: tensor<?x4xf32> {xf.dims = ["B", 4 : i64]}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op xf.dims axis 0: 'B+': column 3: expected a number, a name or '(', found the end}}
func.func @parses(%x: tensor<?x4xf32> {xf.dims = ["B+", "4"]}) {
  return
}

// -----

// expected-error@+1 {{'func.func' op expected xf.dims axis 1 to be 4, found "C"}}
func.func @static_size(%x: tensor<?x4xf32> {xf.dims = ["B", "C"]}) {
  return
}
