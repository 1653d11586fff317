// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

// The first step from zero is nearly lr (0.0009993 with an eps that is not corrected).
func.func @first_step() {
  %c1 = arith.constant dense<[0.0]> : tensor<1xf32>
  %c2 = arith.constant dense<[1.0e-4]> : tensor<1xf32>
  %c3 = arith.constant dense<[0.0]> : tensor<1xf32>
  %c4 = arith.constant dense<[0.0]> : tensor<1xf32>
  %c5 = arith.constant dense<1.0e-3> : tensor<f32>
  %c6 = arith.constant dense<1> : tensor<i64>
  %r0, %r1, %r2 = xf.adam %c1, %c2, %c3, %c4 lr %c5 step %c6 {beta1 = 0.9, beta2 = 0.999, eps = 1.0e-8} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c7 = arith.constant dense<[-9.99900010e-4]> : tensor<1xf32>
  check.close %r0, %c7 : tensor<1xf32>
  %c8 = arith.constant dense<[1.0e-5]> : tensor<1xf32>
  check.close %r1, %c8 : tensor<1xf32>
  %c9 = arith.constant dense<[1.0e-11]> : tensor<1xf32>
  check.close %r2, %c9 : tensor<1xf32>
  return
}

// Corrections by step.
func.func @three_steps_third() {
  %c1 = arith.constant dense<[0.9365053914512174]> : tensor<1xf32>
  %c2 = arith.constant dense<[2.0]> : tensor<1xf32>
  %c3 = arith.constant dense<[-0.055]> : tensor<1xf32>
  %c4 = arith.constant dense<[0.0249]> : tensor<1xf32>
  %c5 = arith.constant dense<0.1> : tensor<f32>
  %c6 = arith.constant dense<3> : tensor<i64>
  %r0, %r1, %r2 = xf.adam %c1, %c2, %c3, %c4 lr %c5 step %c6 {beta1 = 0.9, beta2 = 0.98, eps = 1.0e-9} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c7 = arith.constant dense<[0.894825075308844]> : tensor<1xf32>
  check.close %r0, %c7 : tensor<1xf32>
  %c8 = arith.constant dense<[0.1505]> : tensor<1xf32>
  check.close %r1, %c8 : tensor<1xf32>
  %c9 = arith.constant dense<[0.104402]> : tensor<1xf32>
  check.close %r2, %c9 : tensor<1xf32>
  return
}

// Decay is part of the gradient, on the first element only.
func.func @coupled_decay() {
  %c1 = arith.constant dense<[2.0, 2.0]> : tensor<2xf32>
  %c2 = arith.constant dense<[0.5, 0.5]> : tensor<2xf32>
  %c3 = arith.constant dense<[0.1, 0.1]> : tensor<2xf32>
  %c4 = arith.constant dense<[0.2, 0.2]> : tensor<2xf32>
  %c5 = arith.constant dense<0.1> : tensor<f32>
  %c6 = arith.constant dense<4> : tensor<i64>
  %r0, %r1, %r2 = xf.adam %c1, %c2, %c3, %c4 lr %c5 step %c6 {beta1 = 0.9, beta2 = 0.98, eps = 1.0e-9, decay = 0.25, decay_end = 1} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c7 = arith.constant dense<[1.9668781573868142, 1.9747001602261247]> : tensor<2xf32>
  check.close %r0, %c7 : tensor<2xf32>
  %c8 = arith.constant dense<[0.19, 0.14]> : tensor<2xf32>
  check.close %r1, %c8 : tensor<2xf32>
  %c9 = arith.constant dense<[0.216, 0.201]> : tensor<2xf32>
  check.close %r2, %c9 : tensor<2xf32>
  return
}

// Decay of AdamW.
func.func @decoupled_decay() {
  %c1 = arith.constant dense<[2.0, 2.0]> : tensor<2xf32>
  %c2 = arith.constant dense<[0.5, 0.5]> : tensor<2xf32>
  %c3 = arith.constant dense<[0.1, 0.1]> : tensor<2xf32>
  %c4 = arith.constant dense<[0.2, 0.2]> : tensor<2xf32>
  %c5 = arith.constant dense<0.1> : tensor<f32>
  %c6 = arith.constant dense<4> : tensor<i64>
  %r0, %r1, %r2 = xf.adam %c1, %c2, %c3, %c4 lr %c5 step %c6 {beta1 = 0.9, beta2 = 0.98, eps = 1.0e-9, decay = 0.25, decay_end = 1, decoupled = true} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c7 = arith.constant dense<[1.9247001602261247, 1.9747001602261247]> : tensor<2xf32>
  check.close %r0, %c7 : tensor<2xf32>
  %c8 = arith.constant dense<[0.14, 0.14]> : tensor<2xf32>
  check.close %r1, %c8 : tensor<2xf32>
  %c9 = arith.constant dense<[0.201, 0.201]> : tensor<2xf32>
  check.close %r2, %c9 : tensor<2xf32>
  return
}

// The gradient times scale.
func.func @scale() {
  %c1 = arith.constant dense<[0.9365053914512174]> : tensor<1xf32>
  %c2 = arith.constant dense<[4.0]> : tensor<1xf32>
  %c3 = arith.constant dense<[-0.055]> : tensor<1xf32>
  %c4 = arith.constant dense<[0.0249]> : tensor<1xf32>
  %c5 = arith.constant dense<0.1> : tensor<f32>
  %c6 = arith.constant dense<3> : tensor<i64>
  %c7 = arith.constant dense<0.5> : tensor<f32>
  %r0, %r1, %r2 = xf.adam %c1, %c2, %c3, %c4 lr %c5 step %c6 scale %c7 {beta1 = 0.9, beta2 = 0.98, eps = 1.0e-9} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>, tensor<f32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c8 = arith.constant dense<[0.894825075308844]> : tensor<1xf32>
  check.close %r0, %c8 : tensor<1xf32>
  %c9 = arith.constant dense<[0.1505]> : tensor<1xf32>
  check.close %r1, %c9 : tensor<1xf32>
  %c10 = arith.constant dense<[0.104402]> : tensor<1xf32>
  check.close %r2, %c10 : tensor<1xf32>
  return
}

// A skipped update changes nothing, whatever the gradient holds.
func.func @skip() {
  %c1 = arith.constant dense<[1.5]> : tensor<1xf32>
  %c2 = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  %c3 = arith.constant dense<[0.25]> : tensor<1xf32>
  %c4 = arith.constant dense<[0.5]> : tensor<1xf32>
  %c5 = arith.constant dense<0.1> : tensor<f32>
  %c6 = arith.constant dense<3> : tensor<i64>
  %c7 = arith.constant dense<0x7FC00000> : tensor<f32>
  %c8 = arith.constant dense<true> : tensor<i1>
  %r0, %r1, %r2 = xf.adam %c1, %c2, %c3, %c4 lr %c5 step %c6 scale %c7 skip %c8 {beta1 = 0.9, beta2 = 0.98, eps = 1.0e-9} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>, tensor<f32>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c9 = arith.constant dense<[1.5]> : tensor<1xf32>
  check.equal %r0, %c9 : tensor<1xf32>
  %c10 = arith.constant dense<[0.25]> : tensor<1xf32>
  check.equal %r1, %c10 : tensor<1xf32>
  %c11 = arith.constant dense<[0.5]> : tensor<1xf32>
  check.equal %r2, %c11 : tensor<1xf32>
  return
}
