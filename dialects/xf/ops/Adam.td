//===- Adam.td - xf.adam -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_ADAM
#define DRAGOMAN_XF_OPS_ADAM

include "dialects/xf/XfBase.td"

def Xf_AdamOp : Xf_OptimizerOp<"adam", (ins Xf_Acc:$m, Xf_Acc:$v),
    (ins F64Attr:$beta1, F64Attr:$beta2, F64Attr:$eps)> {
  let summary = "the update of Adam, with decoupled decay of AdamW";
  let results = (outs Xf_Acc:$p_next, Xf_Acc:$m_next, Xf_Acc:$v_next);
  let extraClassDeclaration = [{
    std::optional<unsigned> mayAlias(unsigned result) {
      return result == 0 ? 0 : result + 1; // p, m, v
    }
  }];
  let assemblyFormat = [{
    $p `,` $g `,` $m `,` $v `lr` $lr `step` $step
    (`scale` $scale^)? (`skip` $skip^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_ADAM
