//===- CrossEntropyGrad.td - xf.cross_entropy_grad -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_CROSSENTROPYGRAD
#define DRAGOMAN_XF_OPS_CROSSENTROPYGRAD

include "dialects/xf/XfBase.td"

def Xf_CrossEntropyGradOp : Xf_Op<"cross_entropy_grad", [Pure,
    AttrSizedOperandSegments]> {
  let summary = "the losses of rows of logits and their gradient, in one go";
  let description = [{
    logits F[N,V], target I[N], dloss acc[N] (absent: 1), class_weight F[V] ->
    dlogits F[N,V], loss, nll, correct, lse acc[N]. See SPEC.md.
  }];
  let arguments = (ins Xf_Float:$logits, Xf_Index:$target,
    Optional<Xf_Acc>:$dloss, Optional<Xf_Float>:$class_weight,
    DefaultValuedAttr<F64Attr, "0.0">:$smoothing,
    DefaultValuedAttr<Xf_IntAttr, "-100">:$ignore,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$forbidden,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site);
  let results = (outs Xf_Float:$dlogits, Xf_Acc:$loss, Xf_Acc:$nll,
    Xf_Acc:$correct, Xf_Acc:$lse);
  let extraClassDeclaration = [{
    std::optional<unsigned> mayAlias(unsigned result) {
      return result == 0 ? std::optional<unsigned>(0) : std::nullopt;
    }
  }];
  let assemblyFormat = [{
    $logits `,` $target (`dloss` $dloss^)? (`class_weight` $class_weight^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_CROSSENTROPYGRAD
