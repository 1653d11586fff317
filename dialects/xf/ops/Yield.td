//===- Yield.td - xf.yield -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_XF_OPS_YIELD
#define DRAGOMAN_XF_OPS_YIELD

include "dialects/xf/XfBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Xf_YieldOp : Op<Xf_Dialect, "yield", [Pure, Terminator, ReturnLike]> {
  let summary = "ends a region of an xf op";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // DRAGOMAN_XF_OPS_YIELD
