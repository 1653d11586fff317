// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @first_step() {
  %c1 = arith.constant dense<[1.0]> : tensor<1xf32>
  %c2 = arith.constant dense<[0.5]> : tensor<1xf32>
  %c3 = arith.constant dense<[0.1]> : tensor<1xf32>
  %c4 = arith.constant dense<0.1> : tensor<f32>
  %c5 = arith.constant dense<1> : tensor<i64>
  %r0, %r1 = xf.adagrad %c1, %c2, %c3 lr %c4 step %c5 {eps = 1.0e-10, lr_decay = 0.5} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>)
  %c6 = arith.constant dense<[0.9154845745414341]> : tensor<1xf32>
  check.close %r0, %c6 : tensor<1xf32>
  %c7 = arith.constant dense<[0.35]> : tensor<1xf32>
  check.close %r1, %c7 : tensor<1xf32>
  return
}

// The rate decays with the number of the step.
func.func @third_step() {
  %c1 = arith.constant dense<[0.9728621055914205]> : tensor<1xf32>
  %c2 = arith.constant dense<[2.0]> : tensor<1xf32>
  %c3 = arith.constant dense<[1.35]> : tensor<1xf32>
  %c4 = arith.constant dense<0.1> : tensor<f32>
  %c5 = arith.constant dense<3> : tensor<i64>
  %r0, %r1 = xf.adagrad %c1, %c2, %c3 lr %c4 step %c5 {eps = 1.0e-10, lr_decay = 0.5} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>)
  %c6 = arith.constant dense<[0.929628335476578]> : tensor<1xf32>
  check.close %r0, %c6 : tensor<1xf32>
  %c7 = arith.constant dense<[5.35]> : tensor<1xf32>
  check.close %r1, %c7 : tensor<1xf32>
  return
}

func.func @skip() {
  %c1 = arith.constant dense<[1.5]> : tensor<1xf32>
  %c2 = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  %c3 = arith.constant dense<[0.25]> : tensor<1xf32>
  %c4 = arith.constant dense<0.1> : tensor<f32>
  %c5 = arith.constant dense<3> : tensor<i64>
  %c6 = arith.constant dense<true> : tensor<i1>
  %r0, %r1 = xf.adagrad %c1, %c2, %c3 lr %c4 step %c5 skip %c6 {eps = 1.0e-10, lr_decay = 0.5} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>, tensor<i1>) -> (tensor<1xf32>, tensor<1xf32>)
  %c7 = arith.constant dense<[1.5]> : tensor<1xf32>
  check.equal %r0, %c7 : tensor<1xf32>
  %c8 = arith.constant dense<[0.25]> : tensor<1xf32>
  check.equal %r1, %c8 : tensor<1xf32>
  return
}
