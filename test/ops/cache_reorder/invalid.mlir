// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @cache_reorder_c1(%c: tensor<3x2xf32>, %f: tensor<2x1xi32>) {
  // expected-error@+1 {{'xf.cache_reorder' op expected a cache with rows and from of rank 1, found 'tensor<3x2xf32>' and 'tensor<2x1xi32>'}}
  %r = xf.cache_reorder %c, %f : (tensor<3x2xf32>, tensor<2x1xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @cache_reorder_c2(%c: tensor<3x2xf32>, %f: tensor<2xi32>) {
  // expected-error@+1 {{'xf.cache_reorder' op expected a result of 2x2, found 'tensor<3x2xf32>'}}
  %r = xf.cache_reorder %c, %f : (tensor<3x2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}
