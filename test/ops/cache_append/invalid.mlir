// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

func.func @cache_append_c1(%c: tensor<2x4x16x8xf32>, %f: tensor<2x4x1x8xf32>) {
  // expected-error@+1 {{'xf.cache_append' op expected a result of the cache's type, 'tensor<2x4x16x8xf32>', found 'tensor<2x4x32x8xf32>'}}
  %r = xf.cache_append %c, %f : (tensor<2x4x16x8xf32>, tensor<2x4x1x8xf32>) -> tensor<2x4x32x8xf32>
  return
}

// -----

func.func @cache_append_c2(%c: tensor<2x4x16x8xf32>, %f: tensor<2x4x1x8xf16>) {
  // expected-error@+1 {{'xf.cache_append' op expected cache and fresh of rank 4 and one element type, found 'tensor<2x4x16x8xf32>' and 'tensor<2x4x1x8xf16>'}}
  %r = xf.cache_append %c, %f : (tensor<2x4x16x8xf32>, tensor<2x4x1x8xf16>) -> tensor<2x4x16x8xf32>
  return
}

// -----

func.func @cache_append_c3(%c: tensor<2x4x16x8xf32>, %f: tensor<2x3x1x8xf32>) {
  // expected-error@+1 {{'xf.cache_append' op expected cache and fresh to agree in heads and head size, found 'tensor<2x4x16x8xf32>' and 'tensor<2x3x1x8xf32>'}}
  %r = xf.cache_append %c, %f : (tensor<2x4x16x8xf32>, tensor<2x3x1x8xf32>) -> tensor<2x4x16x8xf32>
  return
}

// -----

func.func @cache_append_c4(%c: tensor<2x4x16x8xf32>, %f: tensor<2x4x1x8xf32>, %a: tensor<3xi64>) {
  // expected-error@+1 {{'xf.cache_append' op expected at and row of one entry per fresh row (2), found 'tensor<3xi64>'}}
  %r = xf.cache_append %c, %f at %a : (tensor<2x4x16x8xf32>, tensor<2x4x1x8xf32>, tensor<3xi64>) -> tensor<2x4x16x8xf32>
  return
}

// -----

func.func @cache_append_c5(%c: tensor<2x4x20x8xf32>, %f: tensor<2x4x1x8xf32>) {
  // expected-error@+1 {{'xf.cache_append' op expected a capacity that is a multiple of 16 for panel16, found 20}}
  %r = xf.cache_append %c, %f {layout = "panel16"} : (tensor<2x4x20x8xf32>, tensor<2x4x1x8xf32>) -> tensor<2x4x20x8xf32>
  return
}
