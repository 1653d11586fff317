// RUN: dragoman-opt %s --verify-stage="stage=graph" --split-input-file --verify-diagnostics

// expected-error @+1 {{expected xf.dims on argument 0 of type 'tensor<?x4xf32>'}}
func.func @unnamed(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

func.func @refused(%x: tensor<4x4xf32> {xf.dims = ["4", "4"]}) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-error @+1 {{'linalg.matmul' op is not allowed in a function}}
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @constant() -> tensor<129xi64> {
  // expected-error @+1 {{expected a constant of at most 1024 bytes, found 1032}}
  %c = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129]> : tensor<129xi64>
  return %c : tensor<129xi64>
}

// -----

// expected-error @+1 {{is not allowed before kernels are formed}}
plan.kernel @early(%x: tensor<4xf32> {xf.dims = ["4"]}) -> (tensor<4xf32> {xf.dims = ["4"]}) attributes {dims = []} {
  plan.yield %x : tensor<4xf32>
}
