// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @plain() {
  %c1 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c2 = arith.constant dense<[0.5, -1.0]> : tensor<2xf32>
  %c3 = arith.constant dense<0.1> : tensor<f32>
  %c4 = arith.constant dense<1> : tensor<i64>
  %r0 = xf.sgd %c1, %c2 lr %c3 step %c4 {} : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> tensor<2xf32>
  %c5 = arith.constant dense<[0.95, 2.1]> : tensor<2xf32>
  check.close %r0, %c5 : tensor<2xf32>
  return
}

func.func @nesterov() {
  %c1 = arith.constant dense<[0.905]> : tensor<1xf32>
  %c2 = arith.constant dense<[-1.0]> : tensor<1xf32>
  %c3 = arith.constant dense<[0.5]> : tensor<1xf32>
  %c4 = arith.constant dense<0.1> : tensor<f32>
  %c5 = arith.constant dense<2> : tensor<i64>
  %r0, %r1 = xf.sgd %c1, %c2 momentum %c3 lr %c4 step %c5 {momentum = 0.9, dampening = 0.5, nesterov = true} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>)
  %c6 = arith.constant dense<[1.0095]> : tensor<1xf32>
  check.close %r0, %c6 : tensor<1xf32>
  %c7 = arith.constant dense<[-0.05]> : tensor<1xf32>
  check.close %r1, %c7 : tensor<1xf32>
  return
}

// Dampening begins with the second step.
func.func @first_step_without_dampening() {
  %c1 = arith.constant dense<[1.0]> : tensor<1xf32>
  %c2 = arith.constant dense<[0.5]> : tensor<1xf32>
  %c3 = arith.constant dense<[0.0]> : tensor<1xf32>
  %c4 = arith.constant dense<0.1> : tensor<f32>
  %c5 = arith.constant dense<1> : tensor<i64>
  %r0, %r1 = xf.sgd %c1, %c2 momentum %c3 lr %c4 step %c5 {momentum = 0.9, dampening = 0.25} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>)
  %c6 = arith.constant dense<[0.95]> : tensor<1xf32>
  check.close %r0, %c6 : tensor<1xf32>
  %c7 = arith.constant dense<[0.5]> : tensor<1xf32>
  check.close %r1, %c7 : tensor<1xf32>
  return
}

func.func @third_step() {
  %c1 = arith.constant dense<[0.98]> : tensor<1xf32>
  %c2 = arith.constant dense<[2.0]> : tensor<1xf32>
  %c3 = arith.constant dense<[-0.3]> : tensor<1xf32>
  %c4 = arith.constant dense<0.1> : tensor<f32>
  %c5 = arith.constant dense<3> : tensor<i64>
  %r0, %r1 = xf.sgd %c1, %c2 momentum %c3 lr %c4 step %c5 {momentum = 0.9, dampening = 0.25} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>) -> (tensor<1xf32>, tensor<1xf32>)
  %c6 = arith.constant dense<[0.857]> : tensor<1xf32>
  check.close %r0, %c6 : tensor<1xf32>
  %c7 = arith.constant dense<[1.23]> : tensor<1xf32>
  check.close %r1, %c7 : tensor<1xf32>
  return
}

func.func @decay() {
  %c1 = arith.constant dense<[1.0, 1.0]> : tensor<2xf32>
  %c2 = arith.constant dense<[0.5, 0.5]> : tensor<2xf32>
  %c3 = arith.constant dense<0.1> : tensor<f32>
  %c4 = arith.constant dense<1> : tensor<i64>
  %r0 = xf.sgd %c1, %c2 lr %c3 step %c4 {decay = 0.5, decay_end = 1} : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>) -> tensor<2xf32>
  %c5 = arith.constant dense<[0.9, 0.95]> : tensor<2xf32>
  check.close %r0, %c5 : tensor<2xf32>
  return
}

func.func @skip() {
  %c1 = arith.constant dense<[1.5]> : tensor<1xf32>
  %c2 = arith.constant dense<[0x7FC00000]> : tensor<1xf32>
  %c3 = arith.constant dense<0.1> : tensor<f32>
  %c4 = arith.constant dense<3> : tensor<i64>
  %c5 = arith.constant dense<true> : tensor<i1>
  %r0 = xf.sgd %c1, %c2 lr %c3 step %c4 skip %c5 {} : (tensor<1xf32>, tensor<1xf32>, tensor<f32>, tensor<i64>, tensor<i1>) -> tensor<1xf32>
  %c6 = arith.constant dense<[1.5]> : tensor<1xf32>
  check.equal %r0, %c6 : tensor<1xf32>
  return
}
