//===- PlanBase.td - The plan dialect: who runs it and where --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_PLAN_PLANBASE
#define DRAGOMAN_DIALECTS_PLAN_PLANBASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::dragoman::plan";
  let summary = "who runs it and where: weights, states, kernels, entries";
  let description = [{
    Weights, states and signatures exist from import on, kernels and entries
    from fusion on. `OPS.md` beside this file is the op table.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

// A 64-bit integer whose accessor is signed.
def Plan_IntAttr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;

class Plan_Attr<string name, string mnemo> : AttrDef<Plan_Dialect, name> {
  let mnemonic = mnemo;
}

def Plan_FileAttr : Plan_Attr<"File", "file"> {
  let summary = "bytes of a file: #plan.file<\"model.onnx\", 128, 4096>";
  let description = [{
    `path` is relative to the folder of the imported model.
  }];
  let parameters = (ins "::mlir::StringAttr":$path, "int64_t":$offset, "int64_t":$bytes);
  let assemblyFormat = "`<` $path `,` $offset `,` $bytes `>`";
}

def Plan_NormalAttr : Plan_Attr<"Normal", "normal"> {
  let summary = "normally distributed values: #plan.normal<7, 0.02>";
  let description = [{
    Element i is drawn from (seed, i) alone, so the values depend on neither
    order nor threads. The elements of row `zero_row` are zero instead, as the
    padding's row of an embedding starts: #plan.normal<7, 0.02, zero_row = 3>.
  }];
  let parameters = (ins "uint64_t":$seed, "::mlir::FloatAttr":$stddev,
    DefaultValuedParameter<"int64_t", "-1">:$zeroRow);
  let builders = [AttrBuilder<(ins "uint64_t":$seed, "::mlir::FloatAttr":$stddev), [{
    return $_get($_ctxt, seed, stddev, -1);
  }]>];
  let assemblyFormat = "`<` $seed `,` $stddev (`,` `zero_row` `=` $zeroRow^)? `>`";
}

def Plan_UniformAttr : Plan_Attr<"Uniform", "uniform"> {
  let summary = "uniform values in [-bound, bound): #plan.uniform<7, 0.1>";
  let description = [{
    Element i is drawn from (seed, i) alone, as in #plan.normal.
  }];
  let parameters = (ins "uint64_t":$seed, "::mlir::FloatAttr":$bound);
  let assemblyFormat = "`<` $seed `,` $bound `>`";
}

def Plan_SplatAttr : Plan_Attr<"Splat", "splat"> {
  let summary = "one value everywhere: #plan.splat<1.0>";
  let parameters = (ins "::mlir::FloatAttr":$value);
  let assemblyFormat = "`<` $value `>`";
}

def Plan_SinusoidAttr : Plan_Attr<"Sinusoid", "sinusoid"> {
  let summary = "a table of positions: #plan.sinusoid<10000.0>";
  let description = [{
    Element (p, c) of [P,C] is sin(p * base^(-2c/C)) for c < C/2; the second
    half holds the cosines of the same angles.
  }];
  let parameters = (ins "::mlir::FloatAttr":$base);
  let assemblyFormat = "`<` $base `>`";
}

def Plan_ScheduleAttr : Plan_Attr<"Schedule", "schedule"> {
  let summary = "the decisions of tiling for one kernel";
  let description = [{
    `root` is the kernel's root op without dialect ("linear", "attention", ...,
    "elementwise"), `params` its named numbers (row tile, block sizes, ...). The
    lowering of the root obeys them; tests and `--schedule=FILE` may override.
  }];
  let parameters = (ins "::mlir::StringAttr":$root, "::mlir::DictionaryAttr":$params);
  let assemblyFormat = "`<` $root `,` $params `>`";
}

def Plan_SlotType : TypeDef<Plan_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "a place in memory that a dispatch reads or writes";
}

class Plan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Plan_Dialect, mnemonic, traits>;

#endif // DRAGOMAN_DIALECTS_PLAN_PLANBASE
