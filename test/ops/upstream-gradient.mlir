// RUN: dragoman-opt --check-gradients %s

// Every row of the table of derivatives, and the upstream ops that have a
// gradient.

func.func @absf(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.absf %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @atan(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.atan %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @ceil(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.ceil %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @cos(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.cos %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @cosh(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.cosh %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @erf(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.erf %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @erfc(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.erfc %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @exp(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.exp %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @exp2(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.exp2 %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @expm1(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.expm1 %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @floor(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.floor %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @round(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.round %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @roundeven(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.roundeven %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @sin(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.sin %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @sinh(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.sinh %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @tan(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.tan %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @tanh(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.tanh %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @trunc(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.trunc %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @log(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %x : tensor<6xf32>
  %y = math.log %e : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @log10(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %x : tensor<6xf32>
  %y = math.log10 %e : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @log1p(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %x : tensor<6xf32>
  %y = math.log1p %e : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @log2(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %x : tensor<6xf32>
  %y = math.log2 %e : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @sqrt(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %x : tensor<6xf32>
  %y = math.sqrt %e : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @rsqrt(%x: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %x : tensor<6xf32>
  %y = math.rsqrt %e : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @negf(%x: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.negf %x : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @addf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.addf %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @subf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.subf %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @mulf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.mulf %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @maximumf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.maximumf %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @minimumf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.minimumf %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @maxnumf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.maxnumf %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @minnumf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.minnumf %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @divf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %z : tensor<6xf32>
  %y = arith.divf %x, %e : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @remf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %z : tensor<6xf32>
  %y = arith.remf %x, %e : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @atan2(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.atan2 %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @copysign(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.copysign %x, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @powf(%x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %e = math.exp %x : tensor<6xf32>
  %y = math.powf %e, %z : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @fma(%x: tensor<6xf32>, %z: tensor<6xf32>, %c: tensor<6xf32>) -> tensor<6xf32> {
  %y = math.fma %x, %z, %c : tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @select(%c: tensor<6xi1>, %x: tensor<6xf32>, %z: tensor<6xf32>) -> tensor<6xf32> {
  %y = arith.select %c, %x, %z : tensor<6xi1>, tensor<6xf32>
  return %y : tensor<6xf32>
}

func.func @casts(%x: tensor<6xbf16>) -> tensor<6xf16> {
  %e = arith.extf %x : tensor<6xbf16> to tensor<6xf32>
  %y = arith.truncf %e : tensor<6xf32> to tensor<6xf16>
  return %y : tensor<6xf16>
}

// A product whose factor broadcasts along both axes and a scalar of rank 0.
func.func @broadcasting(%x: tensor<?x3xf32> {xf.dims = ["N", "3"]}, %row: tensor<3xf32>, %column: tensor<?x1xf32> {xf.dims = ["N", "1"]}, %s: tensor<f32>) -> tensor<?x3xf32> {
  %e = math.exp %x : tensor<?x3xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %column, %s : tensor<?x3xf32>, tensor<3xf32>, tensor<?x1xf32>, tensor<f32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = math.sin %1 : f32
    %3 = arith.mulf %2, %d : f32
    linalg.yield %3 : f32
  } -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// Two results, one through a transposed map; a body that knows its loops and
// reads its old contents.
func.func @loops(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %i = tensor.empty() : tensor<3x2xf32>
  %y:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xf32>) outs(%i, %z : tensor<3x2xf32>, tensor<2x3xf32>) {
  ^bb0(%a: f32, %u: f32, %o: f32):
    %0 = linalg.index 1 : index
    %1 = arith.index_cast %0 : index to i64
    %2 = arith.sitofp %1 : i64 to f32
    %3 = arith.mulf %a, %2 : f32
    %4 = math.exp %a : f32
    %5 = arith.mulf %4, %o : f32
    linalg.yield %3, %5 : f32, f32
  } -> (tensor<3x2xf32>, tensor<2x3xf32>)
  return %y#0, %y#1 : tensor<3x2xf32>, tensor<2x3xf32>
}

func.func @sum_of_products(%x: tensor<?x3x2xf32> {xf.dims = ["N", "3", "2"]}, %z: tensor<3xf32>, %start: tensor<2xf32>) -> tensor<2xf32> {
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (k)>],
      iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%x, %z : tensor<?x3x2xf32>, tensor<3xf32>) outs(%start : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @maximum(%x: tensor<?x3xf32> {xf.dims = ["N", "3"]}) -> tensor<3xf32> {
  %low = arith.constant dense<-9.0> : tensor<3xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x3xf32>) outs(%low : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.cmpf ogt, %0, %o : f32
    %2 = arith.select %1, %0, %o : f32
    linalg.yield %2 : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @maximum_of_some(%x: tensor<3x4xf32>, %m: tensor<3x4xi1> {xf.domain = "bool(0.7)"}) -> tensor<3xf32> {
  %low = arith.constant dense<-9.0> : tensor<3xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %m : tensor<3x4xf32>, tensor<3x4xi1>) outs(%low : tensor<3xf32>) {
  ^bb0(%a: f32, %b: i1, %o: f32):
    %0 = arith.cmpf ogt, %a, %o : f32
    %1 = arith.andi %0, %b : i1
    %2 = arith.select %1, %a, %o : f32
    linalg.yield %2 : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

func.func @named(%x: tensor<2x3xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<3x2xf32>
  %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e0 : tensor<3x2xf32>) permutation = [1, 0]
  %s = math.sin %t : tensor<3x2xf32>
  %e1 = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %r = linalg.reduce ins(%s : tensor<3x2xf32>) outs(%f : tensor<3xf32>) dimensions = [1] (%in: f32, %out: f32) {
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  %e2 = tensor.empty() : tensor<3x4xf32>
  %b = linalg.broadcast ins(%r : tensor<3xf32>) outs(%e2 : tensor<3x4xf32>) dimensions = [1]
  %y = math.sin %b : tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

func.func @shapes(%x: tensor<?x6xf32> {xf.dims = ["N", "6"]}) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %a = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 3, 2] : tensor<?x6xf32> into tensor<?x3x2xf32>
  %b = math.sin %a : tensor<?x3x2xf32>
  %c = tensor.collapse_shape %b [[0, 1], [2]] : tensor<?x3x2xf32> into tensor<?x2xf32>
  %d = math.sin %c : tensor<?x2xf32>
  return %d : tensor<?x2xf32>
}

func.func @cast(%x: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %a = tensor.cast %x : tensor<2x3xf32> to tensor<?x3xf32>
  %b = math.sin %a : tensor<?x3xf32>
  return %b : tensor<?x3xf32>
}

func.func @slices(%x: tensor<?x6xf32> {xf.dims = ["N", "6"]}, %part: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?x2xf32>, tensor<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %a = tensor.extract_slice %x[0, 1] [%n, 2] [1, 3] : tensor<?x6xf32> to tensor<?x2xf32>
  %b = math.sin %a : tensor<?x2xf32>
  %c = tensor.insert_slice %part into %x[0, 2] [%n, 1] [1, 1] : tensor<?xf32> into tensor<?x6xf32>
  %d = math.sin %c : tensor<?x6xf32>
  return %b, %d : tensor<?x2xf32>, tensor<?x6xf32>
}

func.func @joins(%x: tensor<?x2xf32> {xf.dims = ["N", "2"]}, %z: tensor<?x3xf32> {xf.dims = ["N", "3"]}) -> (tensor<?x5xf32>, tensor<?x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = tensor.concat dim(1) %x, %z : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<?x5xf32>
  %b = math.sin %a : tensor<?x5xf32>
  %c = tensor.pad %a low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x5xf32> to tensor<?x7xf32>
  %d = math.sin %c : tensor<?x7xf32>
  return %b, %d : tensor<?x5xf32>, tensor<?x7xf32>
}

func.func @rows_joined(%x: tensor<?xf32> {xf.dims = ["N"]}, %z: tensor<?xf32> {xf.dims = ["M"]}) -> tensor<?xf32> {
  %a = tensor.concat dim(0) %x, %z, %x : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %b = math.sin %a : tensor<?xf32>
  return %b : tensor<?xf32>
}

// A splat has nothing to differentiate, and neither has what is constant.
func.func @constants(%x: tensor<3xf32>) -> tensor<3xf32> {
  %two = arith.constant 2.0 : f32
  %s = tensor.splat %two : tensor<3xf32>
  %y = arith.mulf %x, %s : tensor<3xf32>
  return %y : tensor<3xf32>
}

// Several uses add up; an argument without influence has gradient 0.
func.func @uses(%x: tensor<3xf32>, %unused: tensor<2xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %a = math.sin %x : tensor<3xf32>
  %b = arith.mulf %a, %x : tensor<3xf32>
  %c = arith.addf %a, %b : tensor<3xf32>
  return %c, %x : tensor<3xf32>, tensor<3xf32>
}
