//===- LinearCrossEntropy.td - xf.linear_cross_entropy -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_LINEARCROSSENTROPY
#define DRAGOMAN_XF_OPS_LINEARCROSSENTROPY

include "dialects/xf/XfBase.td"

def Xf_LinearCrossEntropyOp : Xf_Op<"linear_cross_entropy", [Pure,
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "cross entropy of a linear layer's outputs, which never exist whole";
  let description = [{
    h F[N,C], w F[V,C], b F[V], target I[N], class_weight F[V] -> loss, nll,
    correct acc[N]. See SPEC.md.
  }];
  let arguments = (ins Xf_Float:$h, Xf_Float:$w, Optional<Xf_Float>:$b,
    Xf_Index:$target, Optional<Xf_Float>:$class_weight,
    DefaultValuedAttr<F64Attr, "0.0">:$smoothing,
    DefaultValuedAttr<Xf_IntAttr, "-100">:$ignore,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$forbidden,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site);
  let results = (outs Xf_Acc:$loss, Xf_Acc:$nll, Xf_Acc:$correct);
  let assemblyFormat = [{
    $h `,` $w (`bias` $b^)? `target` $target (`class_weight` $class_weight^)?
    attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_LINEARCROSSENTROPY
