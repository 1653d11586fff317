//===- Dropout.td - xf.dropout -*- tablegen -*- ---------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_DROPOUT
#define DRAGOMAN_XF_OPS_DROPOUT

include "dialects/xf/XfBase.td"

def Xf_DropoutOp : Xf_Op<"dropout", [Pure,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "zeroes elements with probability p and scales the others";
  let description = [{
    The draw of an element is a function of the seed, the site, the key of its
    row and its position inside the row, so that it depends on neither padding,
    the batch nor threads, and the gradient repeats it.
  }];
  let arguments = (ins Xf_Float:$x, Xf_Key:$seed, Xf_Key:$row_key, F64Attr:$p,
    Xf_IntAttr:$site);
  let results = (outs Xf_Float:$y);
  let assemblyFormat = [{
    $x `seed` $seed `row_key` $row_key attr-dict `:`
    functional-type(operands, results)
  }];
  let hasFolder = 1;
}

#endif // DRAGOMAN_XF_OPS_DROPOUT
