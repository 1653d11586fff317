//===- Check.td - Expectations of op tests -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_CHECK_CHECK
#define DRAGOMAN_DIALECTS_CHECK_CHECK

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::dragoman::check";
  let summary = "test-only: compares values with expectations in the IR";
  let description = [{
    `dragoman-opt --interpret` evaluates these ops and reports a difference with
    the op's location. A function attribute `check.fails = "text"` states that the
    function's run ends with exactly that error.
  }];
}

class Check_Op<string mnemonic> : Op<Check_Dialect, mnemonic, [
    MemoryEffects<[MemWrite]>, AllTypesMatch<["actual", "expected"]>]> {
  let assemblyFormat = "$actual `,` $expected attr-dict `:` type($actual)";
}

def Check_EqualOp : Check_Op<"equal"> {
  let summary = "every element equals the expected one";
  let description = [{
    0 equals -0; NaN is expected exactly where `expected` has it.
  }];
  let arguments = (ins AnyRankedTensor:$actual, AnyRankedTensor:$expected);
}

def Check_CloseOp : Check_Op<"close"> {
  let summary = "every element is within atol + rtol * |expected|";
  let description = [{
    Defaults are the row of test/tolerances.json for the element type. NaN and
    infinities are expected exactly where `expected` has them.
  }];
  let arguments = (ins AnyRankedTensor:$actual, AnyRankedTensor:$expected,
    OptionalAttr<F64Attr>:$atol, OptionalAttr<F64Attr>:$rtol);
}

#endif // DRAGOMAN_DIALECTS_CHECK_CHECK
