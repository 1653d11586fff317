// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @one_group() {
  %c1 = arith.constant dense<[3.0, 0.0, -4.0]> : tensor<3xf32>
  %n = xf.global_norm %c1 : (tensor<3xf32>) -> tensor<1xf32>
  %c2 = arith.constant dense<[5.0]> : tensor<1xf32>
  check.close %n, %c2 : tensor<1xf32>
  return
}

// An empty group has norm 0.
func.func @groups() {
  %c1 = arith.constant dense<[3.0, 4.0, 2.0, -6.0, 8.0]> : tensor<5xf32>
  %n = xf.global_norm %c1 {groups = array<i64: 2, 2, 3, 5>} : (tensor<5xf32>) -> tensor<4xf32>
  %c2 = arith.constant dense<[5.0, 0.0, 2.0, 10.0]> : tensor<4xf32>
  check.close %n, %c2 : tensor<4xf32>
  return
}

func.func @beyond_a_chunk() {
  %c1 = arith.constant dense<2.0> : tensor<10000xf32>
  %n = xf.global_norm %c1 {groups = array<i64: 8192, 10000>} : (tensor<10000xf32>) -> tensor<2xf32>
  %c2 = arith.constant dense<[181.019336, 85.0411664]> : tensor<2xf32>
  check.close %n, %c2 : tensor<2xf32>
  return
}
