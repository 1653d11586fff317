// RUN: dragoman-opt %s -xf-raise-norms -cse -canonicalize | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#keep = affine_map<(d0, d1) -> (d0, 0)>
#last = affine_map<(d0, d1) -> (d1)>

// Parts with a kept axis of 1, as exporters write them.
// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>{{.*}}, %[[G:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[Y:.*]] = xf.layer_norm %[[X]] gain %[[G]] bias %[[B]] {eps = 9.9{{.*}}E-6 : f64} :
// CHECK-NEXT: return %[[Y]]
func.func @layer_norm(%x: tensor<?x8xf32>, %n: index, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant dense<8.0> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %eps = arith.constant dense<9.99999974E-6> : tensor<f32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x1xf32>
  %e8 = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<?x8xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %sk = tensor.expand_shape %s [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %mean = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>, #id], iterator_types = ["parallel", "parallel"]} ins(%sk, %count : tensor<?x1xf32>, tensor<f32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.divf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x1xf32>
  %d = linalg.generic {indexing_maps = [#id, #keep, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %mean : tensor<?x8xf32>, tensor<?x1xf32>) outs(%e8 : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.subf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %q = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %two : tensor<?x8xf32>, tensor<f32>) outs(%e8 : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = math.powf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %qs = linalg.reduce {arith.addf} ins(%q : tensor<?x8xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %qk = tensor.expand_shape %qs [[0, 1]] output_shape [%n, 1] : tensor<?xf32> into tensor<?x1xf32>
  %var = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>, #id], iterator_types = ["parallel", "parallel"]} ins(%qk, %count : tensor<?x1xf32>, tensor<f32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.divf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x1xf32>
  %ve = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> ()>, #id], iterator_types = ["parallel", "parallel"]} ins(%var, %eps : tensor<?x1xf32>, tensor<f32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x1xf32>
  %rt = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%ve : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<?x1xf32>
  %z = linalg.generic {indexing_maps = [#id, #keep, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %rt : tensor<?x8xf32>, tensor<?x1xf32>) outs(%e8 : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.divf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %zg = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel"]} ins(%z, %g : tensor<?x8xf32>, tensor<8xf32>) outs(%e8 : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.mulf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#id, #last, #id], iterator_types = ["parallel", "parallel"]} ins(%zg, %b : tensor<?x8xf32>, tensor<8xf32>) outs(%e8 : tensor<?x8xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %r = arith.addf %a, %c : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
