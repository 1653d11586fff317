//===- Adadelta.td - xf.adadelta -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_ADADELTA
#define DRAGOMAN_XF_OPS_ADADELTA

include "dialects/xf/XfBase.td"

def Xf_AdadeltaOp : Xf_OptimizerOp<"adadelta",
    (ins Xf_Acc:$square_sum, Xf_Acc:$square_delta),
    (ins F64Attr:$rho, F64Attr:$eps)> {
  let summary = "the update of Adadelta";
  let results = (outs Xf_Acc:$p_next, Xf_Acc:$square_sum_next, Xf_Acc:$square_delta_next);
  let extraClassDeclaration = [{
    std::optional<unsigned> mayAlias(unsigned result) {
      return result == 0 ? 0 : result + 1; // p, square_sum, square_delta
    }
  }];
  let assemblyFormat = [{
    $p `,` $g `,` $square_sum `,` $square_delta `lr` $lr `step` $step
    (`scale` $scale^)? (`skip` $skip^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_ADADELTA
