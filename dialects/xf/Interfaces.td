//===- Interfaces.td - What the compiler asks of xf ops -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_INTERFACES
#define DRAGOMAN_DIALECTS_XF_INTERFACES

include "mlir/IR/OpBase.td"

def DimsOpInterface : OpInterface<"DimsOpInterface"> {
  let cppNamespace = "::dragoman::xf";
  let description = [{
    States the named dimensions of the results from those of the operands.
  }];
  let methods = [
    InterfaceMethod<[{
        The expression of axis `axis` of result number `result`. `dimOf` gives
        the expression of an axis of an operand.
      }],
      "::dragoman::DimExpr", "resultDim",
      (ins "unsigned":$result, "unsigned":$axis, "::dragoman::xf::DimLookup":$dimOf)>
  ];
}

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::dragoman::xf";
  let description = [{
    Tells fusion and tiling how an op behaves, so that no pass names an op.
  }];
  let methods = [
    InterfaceMethod<[{
        The role of the op in a kernel; see KernelRole.
      }], "::dragoman::xf::KernelRole", "kernelRole", (ins)>,
    InterfaceMethod<[{
        How many leading operands an attention-like op reads as they lie, as
        views or slices of larger tensors.
      }], "unsigned", "viewedOperands", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return 3;">,
    InterfaceMethod<[{
        The operand of the result's type whose memory the result may take over,
        or nothing. The lowering then reads an element of that operand, for the
        last time, before it writes this element. A state that the op updates is
        such an operand.
      }], "std::optional<unsigned>", "mayAlias", (ins "unsigned":$result), "",
      "return std::nullopt;">
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::dragoman::xf";
  let description = [{
    An op whose meaning can be written with simpler xf and upstream ops.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the equivalent of the op before it and returns its results, or
        emits an error and fails. The op itself is left in place.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
      (ins "::mlir::OpBuilder &":$builder)>
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::dragoman::xf";
  let description = [{
    An op with a gradient. SPEC.md states it under G1.. of the op's section.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the gradient of the operands from the cotangents of the results
        (one per result; null stands for zero). Returns one value per operand,
        of the operand's type: null where `wanted` is false or the gradient is
        zero. Emits an error and fails where the op has no gradient.
      }],
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$cotangents,
           "::llvm::ArrayRef<bool>":$wanted)>
  ];
}

#endif // DRAGOMAN_DIALECTS_XF_INTERFACES
