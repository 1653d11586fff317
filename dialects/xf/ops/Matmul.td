//===- Matmul.td - xf.matmul -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_MATMUL
#define DRAGOMAN_XF_OPS_MATMUL

include "dialects/xf/XfBase.td"

def Xf_MatmulOp : Xf_Op<"matmul", [Pure,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "alpha * a . b over batches";
  let description = [{
    a [...,M,K] (or [...,K,M] with transpose_a), b [...,K,N] (or [...,N,K] with
    transpose_b) -> c [...,M,N]. Batch dims are equal, or static 1 on one side.
  }];
  let arguments = (ins Xf_Float:$a, Xf_Float:$b, UnitAttr:$transpose_a,
    UnitAttr:$transpose_b, DefaultValuedAttr<F64Attr, "1.0">:$alpha);
  let results = (outs Xf_Float:$c);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_MATMUL
