//===- GlobalNorm.td - xf.global_norm -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_GLOBALNORM
#define DRAGOMAN_XF_OPS_GLOBALNORM

include "dialects/xf/XfBase.td"

def Xf_GlobalNormOp : Xf_Op<"global_norm", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "the Euclidean norm of a vector, or of each of its groups";
  let description = [{
    g [P] -> n acc[G]. `groups` are the ends of the groups, ascending, the last
    one P; none: one group.
  }];
  let arguments = (ins Xf_Float:$g,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$groups);
  let results = (outs Xf_Acc:$n);
  let assemblyFormat = "$g attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_GLOBALNORM
