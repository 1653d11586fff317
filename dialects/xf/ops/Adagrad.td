//===- Adagrad.td - xf.adagrad -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_ADAGRAD
#define DRAGOMAN_XF_OPS_ADAGRAD

include "dialects/xf/XfBase.td"

def Xf_AdagradOp : Xf_OptimizerOp<"adagrad", (ins Xf_Acc:$square_sum),
    (ins F64Attr:$eps, DefaultValuedAttr<F64Attr, "0.0">:$lr_decay)> {
  let summary = "the update of Adagrad";
  let results = (outs Xf_Acc:$p_next, Xf_Acc:$square_sum_next);
  let extraClassDeclaration = [{
    std::optional<unsigned> mayAlias(unsigned result) {
      return result == 0 ? 0 : 2; // p, square_sum
    }
  }];
  let assemblyFormat = [{
    $p `,` $g `,` $square_sum `lr` $lr `step` $step
    (`scale` $scale^)? (`skip` $skip^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_ADAGRAD
