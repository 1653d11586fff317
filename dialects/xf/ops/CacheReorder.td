//===- CacheReorder.td - xf.cache_reorder -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_CACHEREORDER
#define DRAGOMAN_XF_OPS_CACHEREORDER

include "dialects/xf/XfBase.td"

def Xf_CacheReorderOp : Xf_Op<"cache_reorder", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "row r of the result is row from[r] of the cache";
  let arguments = (ins Xf_Float:$cache, Xf_Index:$from,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site);
  let results = (outs Xf_Float:$result);
  let assemblyFormat = "$cache `,` $from attr-dict `:` functional-type(operands, results)";
}

#endif // DRAGOMAN_XF_OPS_CACHEREORDER
