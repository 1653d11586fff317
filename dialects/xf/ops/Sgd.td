//===- Sgd.td - xf.sgd -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_SGD
#define DRAGOMAN_XF_OPS_SGD

include "dialects/xf/XfBase.td"

def Xf_SgdOp : Xf_OptimizerOp<"sgd", (ins Optional<Xf_Acc>:$mom),
    (ins DefaultValuedAttr<F64Attr, "0.0">:$momentum,
         DefaultValuedAttr<F64Attr, "0.0">:$dampening,
         DefaultValuedAttr<BoolAttr, "false">:$nesterov)> {
  let summary = "gradient descent, with momentum and Nesterov's step";
  let results = (outs Xf_Acc:$p_next, Optional<Xf_Acc>:$mom_next);
  let extraClassDeclaration = [{
    std::optional<unsigned> mayAlias(unsigned result) {
      return result == 0 ? 0 : 2; // p, mom
    }
  }];
  let assemblyFormat = [{
    $p `,` $g (`momentum` $mom^)? `lr` $lr `step` $step
    (`scale` $scale^)? (`skip` $skip^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_SGD
