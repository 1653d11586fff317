//===- CacheAppend.td - xf.cache_append -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_CACHEAPPEND
#define DRAGOMAN_XF_OPS_CACHEAPPEND

include "dialects/xf/XfBase.td"

def Xf_CacheAppendOp : Xf_Op<"cache_append", [Pure, AttrSizedOperandSegments]> {
  let summary = "writes new keys or values behind the cached ones";
  let description = [{
    cache [R,H,Cap,D], fresh [N,H,T,D] (or [N,T,H,D] with fresh_layout = "bthd"),
    at I[N] (absent: 0): entry t of row n goes to cache row `row[n]` (absent: n)
    at position at[n] + t. at[n] + T <= Cap and row[n] < R, else check `site`.
    The result may share the cache's memory.
  }];
  let arguments = (ins Xf_Float:$cache, Xf_Float:$fresh, Optional<Xf_Index>:$at,
    Optional<Xf_Index>:$row,
    DefaultValuedStrAttr<Xf_CacheLayout, "rows">:$layout,
    DefaultValuedStrAttr<Xf_Layout, "bhtd">:$fresh_layout,
    DefaultValuedAttr<Xf_IntAttr, "0">:$site);
  let results = (outs Xf_Float:$result);
  let extraClassDeclaration = [{
    std::optional<unsigned> mayAlias(unsigned) { return 0; }
  }];
  let assemblyFormat = [{
    $cache `,` $fresh (`at` $at^)? (`row` $row^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // DRAGOMAN_XF_OPS_CACHEAPPEND
