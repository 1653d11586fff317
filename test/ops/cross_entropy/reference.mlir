// RUN: dragoman-opt --interpret %s
// RUN: dragoman-opt --interpret=wide %s

func.func @rows() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0], [0.5, -1.0, 3.0, 3.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[0, -100]> : tensor<2xi64>
  %loss, %lse = xf.cross_entropy %c1, %c2 {smoothing = 0.1} : (tensor<2x4xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<2xf32>)
  %c3 = arith.constant dense<[0.5901896986, 0.0]> : tensor<2xf32>
  check.close %loss, %c3 : tensor<2xf32>
  %c4 = arith.constant dense<[2.4401896986, 0.0]> : tensor<2xf32>
  check.close %lse, %c4 : tensor<2xf32>
  return
}

// The mean is over the rows that count (case 39).
func.func @case_39b_no_padding() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0]]> : tensor<1x4xf32>
  %c2 = arith.constant dense<[0]> : tensor<1xi64>
  %loss, %lse = xf.cross_entropy %c1, %c2 {smoothing = 0.1, reduce = "mean"} : (tensor<1x4xf32>, tensor<1xi64>) -> (tensor<f32>, tensor<1xf32>)
  %c3 = arith.constant dense<0.5901896986> : tensor<f32>
  check.close %loss, %c3 : tensor<f32>
  return
}

func.func @case_39b_one_padding() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0], [0x7FC00000, 0.0, 9.0, 1.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[0, -100]> : tensor<2xi64>
  %loss, %lse = xf.cross_entropy %c1, %c2 {smoothing = 0.1, reduce = "mean"} : (tensor<2x4xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  %c3 = arith.constant dense<0.5901896986> : tensor<f32>
  check.close %loss, %c3 : tensor<f32>
  return
}

func.func @case_39b_five_paddings() {
  %c1 = arith.constant dense<[[0x7FC00000, 0.0, 9.0, 1.0], [2.0, 1.0, 0.0, -1.0], [0x7FC00000, 0.0, 9.0, 1.0], [0x7FC00000, 0.0, 9.0, 1.0], [0x7FC00000, 0.0, 9.0, 1.0], [0x7FC00000, 0.0, 9.0, 1.0]]> : tensor<6x4xf32>
  %c2 = arith.constant dense<[1, 0, 1, 1, 1, 1]> : tensor<6xi64>
  %loss, %lse = xf.cross_entropy %c1, %c2 {smoothing = 0.1, ignore = 1, reduce = "mean"} : (tensor<6x4xf32>, tensor<6xi64>) -> (tensor<f32>, tensor<6xf32>)
  %c3 = arith.constant dense<0.5901896986> : tensor<f32>
  check.close %loss, %c3 : tensor<f32>
  return
}

func.func @none_counts() {
  %c1 = arith.constant dense<[[0x7FC00000, 0.0, 9.0, 1.0], [0x7FC00000, 0.0, 9.0, 1.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[-100, -100]> : tensor<2xi64>
  %loss, %lse = xf.cross_entropy %c1, %c2 {reduce = "mean"} : (tensor<2x4xf32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xf32>)
  %c3 = arith.constant dense<0.0> : tensor<f32>
  check.close %loss, %c3 : tensor<f32>
  return
}

func.func @weighted_sum() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0], [0.5, -1.0, 3.0, 3.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[2, 3]> : tensor<2xi64>
  %c3 = arith.constant dense<[9.0, 9.0, 0.5, 2.0]> : tensor<4xf32>
  %loss, %lse = xf.cross_entropy %c1, %c2 class_weight %c3 {reduce = "sum"} : (tensor<2x4xf32>, tensor<2xi64>, tensor<4xf32>) -> (tensor<f32>, tensor<2xf32>)
  %c4 = arith.constant dense<2.7043510619> : tensor<f32>
  check.close %loss, %c4 : tensor<f32>
  return
}

func.func @weighted_mean() {
  %c1 = arith.constant dense<[[2.0, 1.0, 0.0, -1.0], [0.5, -1.0, 3.0, 3.0]]> : tensor<2x4xf32>
  %c2 = arith.constant dense<[2, 3]> : tensor<2xi64>
  %c3 = arith.constant dense<[9.0, 9.0, 0.5, 2.0]> : tensor<4xf32>
  %loss, %lse = xf.cross_entropy %c1, %c2 class_weight %c3 {reduce = "mean"} : (tensor<2x4xf32>, tensor<2xi64>, tensor<4xf32>) -> (tensor<f32>, tensor<2xf32>)
  %c4 = arith.constant dense<1.0817404248> : tensor<f32>
  check.close %loss, %c4 : tensor<f32>
  return
}
