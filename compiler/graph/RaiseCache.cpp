//===- RaiseCache.cpp - xf-raise-cache --------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/DecoderGraphs.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/RowPositions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman {
#define GEN_PASS_DEF_XFRAISECACHE
#include "compiler/graph/Passes.h.inc"
} // namespace dragoman

using namespace dragoman;
using namespace mlir;

namespace {

/// A state of the translator: one per layer, side and kind.
struct CacheState {
  std::string name;
  RankedTensorType type;
  bool isSelf = false;
  std::string layout;
};

/// Builds one entry function argument by argument.
class EntryBuilder {
public:
  EntryBuilder(ModuleOp module, llvm::StringRef name)
      : builder(OpBuilder::atBlockEnd(module.getBody())),
        function(func::FuncOp::create(builder, builder.getUnknownLoc(), name,
                                      builder.getFunctionType({}, {}))) {
    function.addEntryBlock();
    builder.setInsertionPointToStart(&function.getBody().front());
  }

  BlockArgument add(RankedTensorType type, llvm::StringRef name,
                    llvm::ArrayRef<DimExpr> dims, llvm::StringRef domain = {}) {
    SmallVector<NamedAttribute> attributes = {
        builder.getNamedAttr("xf.name", builder.getStringAttr(name)),
        builder.getNamedAttr("xf.dims",
                             xf::dimsToAttr(builder.getContext(), dims))};
    if (!domain.empty())
      attributes.push_back(
          builder.getNamedAttr("xf.domain", builder.getStringAttr(domain)));
    return insert(type, attributes);
  }

  BlockArgument addState(const CacheState &state, plan::StateOp op) {
    SmallVector<NamedAttribute> attributes = {
        builder.getNamedAttr("xf.name", builder.getStringAttr(state.name)),
        builder.getNamedAttr("xf.dims", op.getDims()),
        builder.getNamedAttr("plan.state", FlatSymbolRefAttr::get(op))};
    return insert(state.type, attributes);
  }

  void finish(ArrayRef<Value> results,
              ArrayRef<std::pair<StringAttr, FlatSymbolRefAttr>> names) {
    func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
    function.setFunctionType(builder.getFunctionType(
        function.getArgumentTypes(), ValueRange(results).getTypes()));
    for (auto [i, name] : llvm::enumerate(names)) {
      function.setResultAttr(i, "xf.name", name.first);
      if (name.second)
        function.setResultAttr(i, "plan.state", name.second);
    }
  }

  OpBuilder builder;
  func::FuncOp function;

private:
  BlockArgument insert(RankedTensorType type,
                       ArrayRef<NamedAttribute> attributes) {
    unsigned index = function.getNumArguments();
    (void)function.insertArgument(index, type,
                                  builder.getDictionaryAttr(attributes),
                                  builder.getUnknownLoc());
    return function.getArgument(index);
  }
};

/// New keys or values [R,H,T,D] and how their bytes lie.
struct Fresh {
  Value value;
  StringRef layout = "bhtd";
};

Fresh freshOf(Value value) {
  if (auto transpose = value.getDefiningOp<linalg::TransposeOp>())
    if (transpose.getPermutation() == ArrayRef<int64_t>{0, 2, 1, 3})
      return {transpose.getInput(), "bthd"};
  return {value, "bhtd"};
}

struct XfRaiseCachePass : dragoman::impl::XfRaiseCacheBase<XfRaiseCachePass> {
  void runOnOperation() override {
    graphs = DecoderGraphs::find(getOperation());
    if (!graphs)
      return;
    if (failed(graphs->checkCaches()) || failed(graphs->proveEqual()) ||
        failed(declareStates()) || failed(prepare()) || failed(decode()))
      return signalPassFailure();
    graphs->first.erase();
    graphs->past.erase();
  }

private:
  /// [Rows,H,Cap,D] per self cache, [SrcRows,H,SrcCap,D] per cross cache; keys
  /// in panels of 16.
  LogicalResult declareStates() {
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    for (unsigned i = 0; i < graphs->past.getNumArguments(); ++i) {
      StringAttr cache = graphs->cacheOfArgument(graphs->past, i);
      if (!cache)
        continue;
      CacheState state;
      state.name = cache.str();
      state.type =
          llvm::cast<RankedTensorType>(graphs->past.getArgumentTypes()[i]);
      state.isSelf = cache.getValue().starts_with("self_");
      bool isKey = cache.getValue().contains("_k.");
      state.layout = isKey ? "panel16" : "rows";
      if (state.type.getRank() != 4 || state.type.isDynamicDim(1) ||
          state.type.isDynamicDim(3))
        return graphs->past.emitError("expected cache ")
               << cache
               << " of [rows, heads, length, size] with static heads "
                  "and size, found "
               << state.type;
      std::string prefix = state.isSelf ? "" : "Src";
      SmallVector<StringRef> dims;
      std::string rows = prefix.empty() ? "Rows" : "SrcRows",
                  cap = prefix.empty() ? "Cap" : "SrcCap",
                  heads = std::to_string(state.type.getDimSize(1)),
                  size = std::to_string(state.type.getDimSize(3));
      dims = {rows, heads, cap, size};
      auto op = plan::StateOp::create(
          builder, builder.getUnknownLoc(), state.name, state.type,
          builder.getStrArrayAttr(dims), state.layout);
      states.push_back(state);
      stateOps[state.name] = op;
    }
    return success();
  }

  /// The cross caches from the encoder's output.
  LogicalResult prepare() {
    EntryBuilder entry(getOperation(), "prepare");
    func::FuncOp first = graphs->first;
    IRMapping mapping;
    BlockArgument rows;
    for (BlockArgument argument : first.getArguments()) {
      StringAttr name = graphs->nameOf(first, argument);
      if (name != "encoder_hidden_states")
        continue;
      auto type = llvm::cast<RankedTensorType>(argument.getType());
      mapping.map(argument, entry.add(type, name,
                                      {DimExpr::dim("B"), DimExpr::dim("S"),
                                       DimExpr(type.getDimSize(2))},
                                      "normal(1.0)"));
      rows = entry.add(RankedTensorType::get({ShapedType::kDynamic},
                                             entry.builder.getI32Type()),
                       "source_row", {DimExpr::dim("B")}, "distinct(SrcRows)");
    }
    if (!rows)
      return first.emitError("expected an input 'encoder_hidden_states'");
    SmallVector<Value> results;
    SmallVector<std::pair<StringAttr, FlatSymbolRefAttr>> names;
    RowPositions cloner(entry.builder, first, mapping, /*position=*/Value());
    cloner.setAttention([](xf::AttentionOp op) -> FailureOr<Value> {
      return op.emitError("expected cross keys and values that follow from the "
                          "encoder's output alone");
    });
    for (const CacheState &state : states) {
      if (state.isSelf)
        continue;
      plan::StateOp op = stateOps[state.name];
      BlockArgument old = entry.addState(state, op);
      Fresh fresh = freshOf(graphs->resultOfCache(first, state.name));
      FailureOr<Value> value = cloner.clone(fresh.value);
      if (failed(value))
        return failure();
      results.push_back(xf::CacheAppendOp::create(
          entry.builder, fresh.value.getLoc(), state.type, old, *value,
          /*at=*/Value(), rows, state.layout, fresh.layout, capacitySite()));
      names.emplace_back(entry.builder.getStringAttr(state.name),
                         FlatSymbolRefAttr::get(op));
    }
    entry.finish(results, names);
    return success();
  }

  /// Any number of new tokens per row over the states.
  LogicalResult decode() {
    EntryBuilder entry(getOperation(), "decode");
    OpBuilder &builder = entry.builder;
    func::FuncOp past = graphs->past;
    constexpr int64_t dynamic = ShapedType::kDynamic;
    DimExpr r = DimExpr::dim("R"), t = DimExpr::dim("T");
    auto ids = graphs->argument(past, "input_ids");
    auto length = graphs->argument(past, "source_length");
    if (!ids || !length)
      return past.emitError("expected inputs 'input_ids' and 'source_length'");
    Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
    auto domain =
        past.getArgAttrOfType<StringAttr>(ids.getArgNumber(), "xf.domain");
    IRMapping mapping;
    mapping.map(ids, entry.add(llvm::cast<RankedTensorType>(ids.getType()),
                               "input_ids", {r, t},
                               domain ? domain.getValue() : StringRef()));
    BlockArgument position = entry.add(RankedTensorType::get({dynamic}, i64),
                                       "position", {r}, "position(K-T)");
    BlockArgument cacheRow = entry.add(RankedTensorType::get({dynamic}, i32),
                                       "cache_row", {r}, "distinct(Rows)");
    BlockArgument rows =
        entry.add(RankedTensorType::get({dynamic, dynamic}, i32), "rows",
                  {r, DimExpr::dim("K")}, "ids(Rows)");
    BlockArgument sourceRow =
        entry.add(RankedTensorType::get({dynamic, 1}, i32), "source_row",
                  {r, DimExpr(1)}, "ids(SrcRows)");
    BlockArgument sourceLength =
        entry.add(RankedTensorType::get({dynamic}, i64), "source_length", {r},
                  "length(SrcCap)");
    mapping.map(length, sourceLength);

    std::map<std::string, BlockArgument> arguments;
    for (const CacheState &state : states)
      arguments[state.name] = entry.addState(state, stateOps[state.name]);

    RowPositions positions(builder, past, mapping, position);
    // Appends first, in the order of the graph: attention reads what they
    // return.
    std::map<std::string, Value> appended;
    Value keyCount = positions.keyCount();
    auto attention = [&](xf::AttentionOp op) -> FailureOr<Value> {
      return decodeAttention(op, positions, arguments, appended,
                             {position, cacheRow, rows, sourceRow, keyCount});
    };
    positions.setAttention(attention);

    SmallVector<Value> results;
    SmallVector<std::pair<StringAttr, FlatSymbolRefAttr>> names;
    FailureOr<Value> logits = positions.clone(graphs->result(past, "logits"));
    if (failed(logits))
      return failure();
    results.push_back(*logits);
    names.emplace_back(builder.getStringAttr("logits"), FlatSymbolRefAttr());
    for (const CacheState &state : states) {
      if (!state.isSelf)
        continue;
      auto found = appended.find(state.name);
      if (found == appended.end())
        return past.emitError("expected cache ")
               << state.name << " to be read by an attention";
      results.push_back(found->second);
      names.emplace_back(builder.getStringAttr(state.name),
                         FlatSymbolRefAttr::get(stateOps[state.name]));
    }
    entry.finish(results, names);
    return success();
  }

  /// Values that every attention of a step needs.
  struct StepValues {
    Value position, cacheRow, rows, sourceRow, keyCount;
  };

  FailureOr<Value>
  decodeAttention(xf::AttentionOp op, RowPositions &positions,
                  std::map<std::string, BlockArgument> &arguments,
                  std::map<std::string, Value> &appended,
                  const StepValues &step) {
    std::string keys = graphs->cacheBehind(op.getK()),
                values = graphs->cacheBehind(op.getV());
    if (keys.empty() || values.empty() || op.getKLayout() != "bhtd" ||
        op.getVLayout() != "bhtd")
      return op.emitError(
          "expected keys and values of a cache of [rows, heads, "
          "length, size]");
    if (op.getBias() || op.getMask())
      return op.emitError(
          "expected a mask that is a predicate of positions and "
          "lengths");
    bool isSelf = StringRef(keys).starts_with("self_");
    if (isSelf != StringRef(values).starts_with("self_") ||
        (isSelf && (!op.getCausal() || op.getKeyCount())) ||
        (!isSelf && (op.getCausal() || !op.getKeyCount())))
      return op.emitError("expected causal self attention and cross attention "
                          "limited by the source length");
    FailureOr<Value> q = positions.clone(op.getQ());
    if (failed(q))
      return failure();
    Value k = arguments[keys], v = arguments[values];
    if (isSelf) {
      for (auto [source, name, value] : {std::tuple(op.getK(), keys, &k),
                                         std::tuple(op.getV(), values, &v)}) {
        FailureOr<Value> next =
            append(source, name, *value, positions, appended, step);
        if (failed(next))
          return failure();
        *value = *next;
      }
    }
    Value count = step.keyCount;
    if (!isSelf) {
      FailureOr<Value> length = positions.clone(op.getKeyCount());
      if (failed(length))
        return failure();
      count = *length;
    }
    OpBuilder &builder = positions.builder;
    auto attention = xf::AttentionOp::create(
        builder, op.getLoc(), op.getOut().getType(), op.getLse().getType(), *q,
        k, v, /*bias=*/Value(), /*mask=*/Value(), count, /*starts=*/Value(),
        isSelf ? step.position : Value(), isSelf ? step.rows : step.sourceRow,
        /*seed=*/Value(), /*row_key=*/Value(), ValueRange(), op.getScaleAttr(),
        isSelf, op.getLeft(), op.getRight(), op.getSoftcap(),
        /*dropout=*/llvm::APFloat(0.0), /*site=*/0, op.getQLayout(), "panel16",
        "bhtd", op.getOutLayout());
    return attention.getOut();
  }

  FailureOr<Value> append(Value source, const std::string &name, Value state,
                          RowPositions &positions,
                          std::map<std::string, Value> &appended,
                          const StepValues &step) {
    auto known = appended.find(name);
    if (known != appended.end())
      return known->second;
    Fresh fresh = freshOf(graphs->appendedTo(source));
    FailureOr<Value> value = positions.clone(fresh.value);
    if (failed(value))
      return failure();
    StringRef layout = StringRef(name).contains("_k.") ? "panel16" : "rows";
    Value result = xf::CacheAppendOp::create(
        positions.builder, source.getLoc(), state.getType(), state, *value,
        step.position, step.cacheRow, layout, fresh.layout, capacitySite());
    appended[name] = result;
    return result;
  }

  /// The site of appends behind a cache's end.
  int64_t capacitySite() {
    if (site == 0) {
      for (plan::SiteOp other : getOperation().getOps<plan::SiteOp>())
        site = std::max<int64_t>(site, other.getNumber());
      ++site;
      OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
      plan::SiteOp::create(builder, builder.getUnknownLoc(), site, "cache",
                           "position {value} is outside of a cache of {bound}");
    }
    return site;
  }

  std::optional<DecoderGraphs> graphs;
  SmallVector<CacheState> states;
  std::map<std::string, plan::StateOp> stateOps;
  int64_t site = 0;
};
} // namespace
