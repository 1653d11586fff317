// RUN: not dragoman-opt --check-gradients %s 2>&1 | FileCheck %s

// Every refusal of a gradient of an upstream op.

// CHECK: 'scf.if' op has no gradient of what its region reads, found 'tensor<2xf32>'
func.func @branch(%c: i1, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = scf.if %c -> tensor<2xf32> {
    scf.yield %x : tensor<2xf32>
  } else {
    %z = math.sin %x : tensor<2xf32>
    scf.yield %z : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// CHECK: 'math.asin' op has no gradient{{$}}
func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = math.asin %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK: 'math.asin' op has no derivative{{$}}
func.func @unknown_scalar(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%x : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.asin %a : f32
    linalg.yield %0 : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK: has no gradient: expected an indexing map that picks loops, found affine_map<(d0) -> (d0 + 1)>
func.func @shifted(%x: tensor<3xf32>, %z: tensor<2xf32>) -> tensor<2xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK: has no gradient: expected axis 0 of operand 0 of size 1, found 'tensor<2xf32>'
func.func @first_only(%x: tensor<2xf32>, %z: tensor<2xf32>) -> tensor<2xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (0)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// CHECK: has no gradient: expected a sum, a maximum or a minimum over the reduced loops
func.func @product(%x: tensor<3xf32>, %z: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<3xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK: has no gradient: expected one reduction, found 2
func.func @two(%x: tensor<3xf32>, %z: tensor<f32>) -> tensor<f32> {
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<3xf32>) outs(%z, %z : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0, %p : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %y#0 : tensor<f32>
}

// CHECK: has no gradient of where the extremum starts
func.func @start(%x: tensor<3xf32>, %z: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<3xf32>) outs(%z : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK: has no gradient of what its region reads, found 'tensor<3xf32>'
func.func @captured(%x: tensor<3xf32>, %z: tensor<2xf32>) -> tensor<2xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%z : tensor<2xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = linalg.index 0 : index
    %1 = tensor.extract %x[%0] : tensor<3xf32>
    %2 = arith.mulf %1, %a : f32
    linalg.yield %2 : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}
