//===- Check.td - xf.check -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_CHECK
#define DRAGOMAN_XF_OPS_CHECK

include "dialects/xf/XfBase.td"

def Xf_CheckOp : Xf_Op<"check", [
    MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "records a failing condition in the run's error block";
  let description = [{
    Where `condition` is false, records (site, linear index, value, bound) unless
    a record of a lower (site, index) is there. The only assertion of the IR.
  }];
  let arguments = (ins Xf_Bool:$condition, Optional<Xf_Index>:$value,
    Optional<Xf_Index>:$bound, Xf_IntAttr:$site);
  let results = (outs);
  let assemblyFormat = [{
    $condition (`value` $value^)? (`bound` $bound^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_CHECK
