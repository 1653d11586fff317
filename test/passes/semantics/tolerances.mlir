// RUN: dragoman-opt %s --verify-semantics --xf-decompose -o %t.out
// RUN: echo '{"rows": [{"type": "f32", "atol": 0.0, "rtol": 0.0}], "ratio": 0}' > %t.strict.json
// RUN: not dragoman-opt %s --verify-semantics --tolerances=%t.strict.json --xf-decompose -o %t.out 2>&1 | FileCheck %s
// RUN: echo '{"rows": [{"type": "f31"}]}' > %t.bad.json
// RUN: not dragoman-opt %s --tolerances=%t.bad.json 2>&1 | FileCheck %s --check-prefix=BAD

// The tolerance is data: a decomposed norm rounds more often than the norm, which
// the table allows and a table without tolerance does not.
// CHECK: error: pass 'xf-decompose' changed @norm
// BAD: tolerance table: expected type f64, f32, f16 or bf16, found "f31"

func.func @norm(%x: tensor<?x64xf32> {xf.dims = ["N", "64"], xf.domain = "normal(2.0)"}) -> tensor<?x64xf32> {
  %y = xf.layer_norm %x {eps = 1.0e-5} : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
