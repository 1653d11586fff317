//===- XfBase.td - The xf dialect and what its ops share -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_XFBASE
#define DRAGOMAN_DIALECTS_XF_XFBASE

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/xf/Interfaces.td"

def Xf_Dialect : Dialect {
  let name = "xf";
  let cppNamespace = "::dragoman::xf";
  let summary = "what is computed: Transformer operations on ranked tensors";
  let description = [{
    Operations of attention models on ranked tensors whose dynamic dimensions
    are named. `SPEC.md` beside this file states the meaning of each.
  }];
  let hasRegionArgAttrVerify = 1;
}

class Xf_Op<string mnemonic, list<Trait> traits = []>
    : Op<Xf_Dialect, mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<DimsOpInterface>,
        DeclareOpInterfaceMethods<KernelOpInterface>])> {
  let hasVerifier = 1;
}

// A 64-bit integer whose accessor is signed.
def Xf_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;

// Tensors. F: one float type per op; I: i32 or i64 ids, counts and positions.
def Xf_Float : RankedTensorOf<[F32, F16, BF16, F64]>;
def Xf_Acc : RankedTensorOf<[F32, F64]>;
def Xf_Index : RankedTensorOf<[I32, I64]>;
// Keys of random draws.
def Xf_Key : RankedTensorOf<[I64]>;
def Xf_Bool : RankedTensorOf<[I1]>;

// A string attribute with a closed set of values.
class Xf_StringEnum<string summary, list<string> cases>
    : Attr<Or<!foreach(c, cases,
             CPred<"::llvm::isa<::mlir::StringAttr>($_self) && "
                   "::llvm::cast<::mlir::StringAttr>($_self).getValue() == \"" #
                   c # "\"">)>, summary> {
  let storageType = "::mlir::StringAttr";
  let returnType = "::llvm::StringRef";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "$_builder.getStringAttr($0)";
}

// How the bytes of a rank-4 operand lie. The type lists the axes in the order
// of the bytes: bhtd is [B,H,T,D], bthd is [B,T,H,D]. panel16 (keys of a state
// only) keeps the logical type [B,H,S,D]; the bytes are [B][H][S/16][D][16].
def Xf_Layout : Xf_StringEnum<"bhtd or bthd", ["bhtd", "bthd"]>;
def Xf_KeyLayout : Xf_StringEnum<"bhtd, bthd or panel16", ["bhtd", "bthd", "panel16"]>;
def Xf_CacheLayout : Xf_StringEnum<"rows or panel16", ["rows", "panel16"]>;
def Xf_Activation : Xf_StringEnum<"an activation of linear",
    ["none", "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "tanh"]>;
def Xf_HeadReduction : Xf_StringEnum<"none or mean", ["none", "mean"]>;
def Xf_GeluKind : Xf_StringEnum<"erf or tanh", ["erf", "tanh"]>;
def Xf_Gate : Xf_StringEnum<"the gate of glu",
    ["sigmoid", "silu", "gelu", "identity"]>;

def Xf_LossReduction : Xf_StringEnum<"none, sum or mean", ["none", "sum", "mean"]>;

// What optimisers share. p, g and moments have one shape; lr, step, scale and
// skip are scalars; decay acts on elements [0, decay_end) (-1: on all).
class Xf_OptimizerOp<string mnemonic, dag moments, dag numbers>
    : Xf_Op<mnemonic, [Pure, AttrSizedOperandSegments]> {
  let arguments = !con((ins Xf_Acc:$p, Xf_Acc:$g), moments,
    (ins Xf_Acc:$lr, Xf_Index:$step, Optional<Xf_Acc>:$scale,
         Optional<Xf_Bool>:$skip),
    numbers,
    (ins DefaultValuedAttr<F64Attr, "0.0">:$decay,
         DefaultValuedAttr<BoolAttr, "false">:$decoupled,
         DefaultValuedAttr<Xf_IntAttr, "-1">:$decay_end));
}

#endif // DRAGOMAN_DIALECTS_XF_XFBASE
