//===- CrossEntropy.td - xf.cross_entropy -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_CROSSENTROPY
#define DRAGOMAN_XF_OPS_CROSSENTROPY

include "dialects/xf/XfBase.td"

def Xf_CrossEntropyOp : Xf_Op<"cross_entropy", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "the loss of rows of logits against target ids";
  let description = [{
    logits F[N,V], target I[N], class_weight F[V] -> loss acc ([N], or a scalar
    with `reduce` sum or mean), lse acc[N]. See SPEC.md.
  }];
  let arguments = (ins Xf_Float:$logits, Xf_Index:$target,
    Optional<Xf_Float>:$class_weight,
    DefaultValuedAttr<F64Attr, "0.0">:$smoothing,
    DefaultValuedAttr<Xf_IntAttr, "-100">:$ignore,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$forbidden,
    DefaultValuedStrAttr<Xf_LossReduction, "none">:$reduce,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site);
  let results = (outs Xf_Acc:$loss, Xf_Acc:$lse);
  let assemblyFormat = [{
    $logits `,` $target (`class_weight` $class_weight^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_CROSSENTROPY
