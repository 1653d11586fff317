//===- LogSoftmax.td - xf.log_softmax -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_LOGSOFTMAX
#define DRAGOMAN_XF_OPS_LOGSOFTMAX

include "dialects/xf/XfBase.td"

def Xf_LogSoftmaxOp : Xf_Op<"log_softmax", [AttrSizedOperandSegments, Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "log_softmax along one axis, masked entries excluded";
  let description = [{
    mask broadcasts to x; key_count [B] (first axis of x) hides entries of the
    axis from its count on. Excluded entries give -inf and add nothing.
  }];
  let arguments = (ins Xf_Float:$x, Optional<Xf_Bool>:$mask,
    Optional<Xf_Index>:$key_count, DefaultValuedAttr<Xf_IntAttr, "-1">:$axis);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = [{
    $x (`mask` $mask^)? (`key_count` $key_count^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_LOGSOFTMAX
