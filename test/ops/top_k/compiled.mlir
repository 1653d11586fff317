// RUN: dragoman-opt %s --verify-semantics --dragoman-compile=stop-after=tiling -o %t

// Entries that the machine code is judged on.
func.func @largest(%x: tensor<?x37xf32> {xf.dims = ["N", "37"]}) -> (tensor<?x5xf32>, tensor<?x5xi32>) {
  %v, %i = xf.top_k %x {k = 5} : (tensor<?x37xf32>) -> (tensor<?x5xf32>, tensor<?x5xi32>)
  return %v, %i : tensor<?x5xf32>, tensor<?x5xi32>
}

func.func @smallest_with_ties_and_nan() -> (tensor<2x4xf32>, tensor<2x4xi32>) {
  %x = arith.constant dense<[[0x7FC00000, 3.0, 1.0, 1.0, 2.0], [0x7F800000, 0xFF800000, 0x7FC00000, 0x7FC00000, 0.0]]> : tensor<2x5xf32>
  %v, %i = xf.top_k %x {k = 4, largest = false} : (tensor<2x5xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return %v, %i : tensor<2x4xf32>, tensor<2x4xi32>
}
