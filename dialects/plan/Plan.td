//===- Plan.td - Ops of the plan dialect -*- tablegen -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_PLAN_PLAN
#define DRAGOMAN_DIALECTS_PLAN_PLAN

include "dialects/plan/PlanBase.td"

def Plan_WeightOp : Plan_Op<"weight", [Symbol]> {
  let summary = "a tensor of the model, by name";
  let description = [{
    Exactly one of `source` (#plan.file, #plan.normal, #plan.uniform, #plan.splat
    or #plan.sinusoid) and `derived` (a function of no arguments whose result is
    the weight) is given. `layout` is "rows" (row-major) or "panel16": a [N,K]
    matrix stored [ceil(N/16)][K][16], the columns past N zero. A weight that is
    `trainable` is a parameter of the training entries; with `decay`, weight
    decay applies to it.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
    OptionalAttr<AnyAttr>:$source, OptionalAttr<FlatSymbolRefAttr>:$derived,
    DefaultValuedStrAttr<StrAttr, "rows">:$layout, UnitAttr:$trainable,
    UnitAttr:$decay);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

def Plan_LoadOp : Plan_Op<"load", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a weight";
  let arguments = (ins FlatSymbolRefAttr:$weight);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$weight attr-dict `:` type($result)";
}

def Plan_StateOp : Plan_Op<"state", [Symbol]> {
  let summary = "a tensor that lives in the session between runs";
  let description = [{
    `dims` has one expression per axis in the session's dimensions. `row_axis`
    is the axis that a row indexes, `append_axis` the one that grows.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
    StrArrayAttr:$dims, DefaultValuedStrAttr<StrAttr, "rows">:$layout,
    DefaultValuedAttr<Plan_IntAttr, "0">:$row_axis,
    DefaultValuedAttr<Plan_IntAttr, "2">:$append_axis);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
}

class Plan_FunctionOp<string mnemonic, list<Trait> traits = []>
    : Plan_Op<mnemonic, !listconcat([Symbol, FunctionOpInterface, IsolatedFromAbove], traits)> {
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  // Creates the op with an entry block of the type's arguments, without ops.
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name,
    "::mlir::FunctionType":$type,
    CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attributes)>];
  code functionDeclarations = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
}

def Plan_KernelOp : Plan_FunctionOp<"kernel"> {
  let summary = "one grid of work: tensors in, tensors out";
  let description = [{
    The body has one root (or a pure elementwise cluster) and what is pulled into
    its operands or applied behind it, ending in plan.yield. `dims` names the
    kernel's dimensions in the order of the launch's dim block; arguments and
    results carry `xf.dims`. From tiling on `schedule` states the decisions,
    `tiles` the number of tiles as an expression in `dims`, `scratch` the bytes a
    thread needs. An argument attribute `plan.layout` states a weight's or
    state's layout; result attribute `plan.alias` = the number of the argument
    whose memory the result shares: the kernel reads an element of it, for the
    last time, before it writes this element.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs, StrArrayAttr:$dims,
    OptionalAttr<Plan_ScheduleAttr>:$schedule, OptionalAttr<StrAttr>:$tiles,
    DefaultValuedAttr<Plan_IntAttr, "0">:$scratch);
  let extraClassDeclaration = functionDeclarations;
}

def Plan_YieldOp : Plan_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"KernelOp">]> {
  let summary = "the results of a kernel";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Plan_EntryOp : Plan_FunctionOp<"entry"> {
  let summary = "what the runtime can call: dispatches in order";
  let description = [{
    `dims` names every dimension. Before plan-assign-slots the body is in values:
    plan.load, plan.dispatch with results, views, plan.loop, plan.return. After
    it the body is in slots: plan.slot, plan.part, plan.dispatch without results,
    plan.copy, plan.fill, plan.loop;
    `arena` is the size of the work arena as an expression in `dims`. Arguments
    and results carry `xf.name` and `xf.dims`; a state argument and its result
    carry `plan.state`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type, OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs, StrArrayAttr:$dims,
    OptionalAttr<StrAttr>:$arena);
  let extraClassDeclaration = functionDeclarations;
}

def Plan_ReturnOp : Plan_Op<"return", [Terminator, ReturnLike, HasParent<"EntryOp">]> {
  let summary = "the results of an entry";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Plan_DispatchOp : Plan_Op<"dispatch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launches a kernel";
  let description = [{
    On values: operands are the kernel's arguments, results its results. On
    slots: operands are the slots of the arguments and then of the results that
    alias none; there are no results. `dims` gives the kernel's dimensions in its
    order as expressions in the entry's dimensions.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$operands_,
    StrArrayAttr:$dims);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` $operands_ `)` `dims` $dims attr-dict `:` functional-type($operands_, $results)
  }];
}

def Plan_SlotOp : Plan_Op<"slot", [Pure]> {
  let summary = "a place in memory";
  let description = [{
    `space` is input, output, state, weight or arena; `index` counts inputs and
    outputs, `symbol` names a state or weight; `offset` and `bytes` are
    expressions in the entry's dimensions.
  }];
  let arguments = (ins StrAttr:$space, DefaultValuedAttr<Plan_IntAttr, "0">:$index,
    OptionalAttr<FlatSymbolRefAttr>:$symbol, StrAttr:$offset, StrAttr:$bytes);
  let results = (outs Plan_SlotType:$slot);
  let assemblyFormat = "$space attr-dict `:` type($slot)";
  let hasVerifier = 1;
}

def Plan_PartOp : Plan_Op<"part", [Pure]> {
  let summary = "a part of a place";
  let description = [{
    `bytes` bytes from `offset` on of the slot `whole`, which is no part itself.
    What is written to a part is written to the whole.
  }];
  let arguments = (ins Plan_SlotType:$whole, StrAttr:$offset, StrAttr:$bytes);
  let results = (outs Plan_SlotType:$slot);
  let assemblyFormat = "$whole attr-dict `:` type($slot)";
  let hasVerifier = 1;
}

def Plan_LoopOp : Plan_Op<"loop", [RecursiveMemoryEffects, SingleBlock,
    DeclareOpInterfaceMethods<LoopLikeOpInterface, ["getLoopResults",
      "getRegionIterArgs", "getLoopInductionVars", "getYieldedValuesMutable"]>]> {
  let summary = "commands that are repeated";
  let description = [{
    The body runs `trips` times. The dimension `dim` counts the iterations from 0;
    expressions inside may use it beside the entry's. On values: the block's
    arguments are the number of the iteration and one value per init, which
    plan.next gives the next iteration and, behind the last, the results; their
    sizes do not change. On slots: no inits, arguments or results.
  }];
  let arguments = (ins StrAttr:$dim, StrAttr:$trips,
    Variadic<AnyRankedTensor>:$inits);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $dim `trips` $trips (`inits` `(` $inits^ `)`)? attr-dict `:`
    functional-type($inits, $results) $body
  }];
  let hasVerifier = 1;
}

def Plan_NextOp : Plan_Op<"next", [Pure, Terminator, ReturnLike, HasParent<"LoopOp">]> {
  let summary = "what the next iteration of a loop starts from";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Plan_CopyOp : Plan_Op<"copy"> {
  let summary = "copies the bytes of the target's size";
  let arguments = (ins Plan_SlotType:$source, Plan_SlotType:$target);
  let assemblyFormat = "$source `to` $target attr-dict";
}

def Plan_FillOp : Plan_Op<"fill"> {
  let summary = "fills a slot with one byte value";
  let arguments = (ins Plan_SlotType:$target, Plan_IntAttr:$value);
  let assemblyFormat = "$target `,` $value attr-dict";
}

def Plan_CheckOp : Plan_Op<"check"> {
  let summary = "two dimensions must be equal, else the run fails at `site`";
  let arguments = (ins StrAttr:$left, StrAttr:$right, Plan_IntAttr:$site);
  let assemblyFormat = "$left `,` $right attr-dict";
}

def Plan_SiteOp : Plan_Op<"site"> {
  let summary = "the text of a check";
  let description = [{
    `node` is the source node; `message` may hold {value}, {bound}, {index}.
  }];
  let arguments = (ins Plan_IntAttr:$number, StrAttr:$node, StrAttr:$message);
  let assemblyFormat = "$number `,` $node `,` $message attr-dict";
}

#endif // DRAGOMAN_DIALECTS_PLAN_PLAN
