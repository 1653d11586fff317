// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @second_step() {
  %c1 = arith.constant dense<[0.9968377855834876]> : tensor<1xf32>
  %c2 = arith.constant dense<[-1.0]> : tensor<1xf32>
  %c3 = arith.constant dense<[0.025]> : tensor<1xf32>
  %c4 = arith.constant dense<[9.99960001599936e-07]> : tensor<1xf32>
  %c5 = arith.constant dense<1.0> : tensor<f32>
  %c6 = arith.constant dense<2> : tensor<i64>
  %r0, %r1, %r2 = xf.adadelta %c1, %c2, %c3, %c4 lr %c5 step %c6 {rho = 0.9, eps = 1.0e-6} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c7 = arith.constant dense<[1.0008783388649882]> : tensor<1xf32>
  check.close %r0, %c7 : tensor<1xf32>
  %c8 = arith.constant dense<[0.1225]> : tensor<1xf32>
  check.close %r1, %c8 : tensor<1xf32>
  %c9 = arith.constant dense<[2.5325710835045266e-06]> : tensor<1xf32>
  check.close %r2, %c9 : tensor<1xf32>
  return
}

func.func @skip() {
  %c1 = arith.constant dense<[1.5]> : tensor<1xf32>
  %c2 = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  %c3 = arith.constant dense<[0.25]> : tensor<1xf32>
  %c4 = arith.constant dense<[0.5]> : tensor<1xf32>
  %c5 = arith.constant dense<0.1> : tensor<f32>
  %c6 = arith.constant dense<3> : tensor<i64>
  %c7 = arith.constant dense<true> : tensor<i1>
  %r0, %r1, %r2 = xf.adadelta %c1, %c2, %c3, %c4 lr %c5 step %c6 skip %c7 {rho = 0.9, eps = 1.0e-6} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c8 = arith.constant dense<[1.5]> : tensor<1xf32>
  check.equal %r0, %c8 : tensor<1xf32>
  %c9 = arith.constant dense<[0.25]> : tensor<1xf32>
  check.equal %r1, %c9 : tensor<1xf32>
  %c10 = arith.constant dense<[0.5]> : tensor<1xf32>
  check.equal %r2, %c10 : tensor<1xf32>
  return
}
