//===- LayoutWeights.cpp - Panels for weights and key caches, in order ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Passes.h"
#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace dragoman::tiling {
#define GEN_PASS_DEF_LAYOUTWEIGHTSPASS
#include "compiler/tiling/Passes.h.inc"
} // namespace dragoman::tiling

using namespace dragoman;
using mlir::BlockArgument;
using mlir::Operation;
using mlir::OpOperand;
using mlir::Value;

static constexpr llvm::StringLiteral panels = "panel16";
static constexpr llvm::StringLiteral layoutName = "plan.layout";

/// True if the argument is read only as the weight of linear layers.
static bool isPanelWeight(BlockArgument argument) {
  return !argument.use_empty() &&
         llvm::all_of(argument.getUses(), [](OpOperand &use) {
           auto linear = llvm::dyn_cast<xf::LinearOp>(use.getOwner());
           return linear && &linear.getWMutable() == &use &&
                  linear.getX() != use.get();
         });
}

/// True if the argument is read as the keys of attention.
static bool isKeys(BlockArgument argument) {
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto attention = llvm::dyn_cast<xf::AttentionOp>(use.getOwner());
    return attention && use.get() == attention.getK();
  });
}

/// True if every reader of the argument can read it in panels: keys, and the
/// cache that an update takes over.
static bool canBePanelKeys(BlockArgument argument) {
  return llvm::all_of(argument.getUses(), [](OpOperand &use) {
    if (auto attention = llvm::dyn_cast<xf::AttentionOp>(use.getOwner()))
      return use.get() == attention.getK() && use.get() != attention.getV() &&
             use.get() != attention.getQ();
    auto append = llvm::dyn_cast<xf::CacheAppendOp>(use.getOwner());
    return append && use.get() == append.getCache() &&
           use.get() != append.getFresh();
  });
}

namespace {

class LayoutWeights {
public:
  explicit LayoutWeights(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  void run() {
    findStates();
    layoutStates();
    layoutWeights();
    orderWeights();
  }

private:
  void findStates();
  void layoutStates();
  void layoutWeights();
  void orderWeights();
  plan::WeightOp panelWeight(plan::LoadOp load);

  template <typename Function> void forDispatches(Function function) {
    for (auto entry : module.getOps<plan::EntryOp>())
      entry.walk([&](plan::DispatchOp dispatch) {
        function(entry, dispatch,
                 symbols.lookup<plan::KernelOp>(dispatch.getKernel()));
      });
  }

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  /// The state that a value of an entry is a version of.
  llvm::DenseMap<Value, mlir::StringAttr> stateOf;
};

} // namespace

void LayoutWeights::findStates() {
  for (auto entry : module.getOps<plan::EntryOp>())
    for (BlockArgument argument : entry.getBody().front().getArguments())
      if (auto state = entry.getArgAttrOfType<mlir::FlatSymbolRefAttr>(
              argument.getArgNumber(), "plan.state"))
        stateOf[argument] = state.getAttr();
  forDispatches([&](plan::EntryOp, plan::DispatchOp dispatch,
                    plan::KernelOp kernel) {
    for (Value result : dispatch.getResults()) {
      unsigned number = llvm::cast<mlir::OpResult>(result).getResultNumber();
      auto alias =
          kernel.getResultAttrOfType<mlir::IntegerAttr>(number, "plan.alias");
      if (!alias)
        continue;
      auto state = stateOf.find(dispatch.getOperand(alias.getInt()));
      if (state != stateOf.end())
        stateOf[result] = mlir::StringAttr(state->second);
    }
  });
}

void LayoutWeights::layoutStates() {
  llvm::SetVector<mlir::StringAttr> keys;
  llvm::DenseSet<mlir::StringAttr> others;
  auto forStateOperands = [&](auto function) {
    forDispatches(
        [&](plan::EntryOp, plan::DispatchOp dispatch, plan::KernelOp kernel) {
          for (auto [operand, argument] :
               llvm::zip(dispatch.getOperands(), kernel.getArguments()))
            if (mlir::StringAttr state = stateOf.lookup(operand))
              function(state, kernel, argument);
        });
  };
  forStateOperands(
      [&](mlir::StringAttr state, plan::KernelOp, BlockArgument argument) {
        if (isKeys(argument))
          keys.insert(state);
        if (!canBePanelKeys(argument))
          others.insert(state);
      });
  auto inPanels = [&](mlir::StringAttr state) {
    return keys.contains(state) && !others.contains(state);
  };
  for (mlir::StringAttr state : keys)
    if (inPanels(state))
      symbols.lookup<plan::StateOp>(state).setLayout(panels);
  forStateOperands([&](mlir::StringAttr state, plan::KernelOp kernel,
                       BlockArgument argument) {
    if (!inPanels(state))
      return;
    kernel.setArgAttr(argument.getArgNumber(), layoutName,
                      mlir::StringAttr::get(module.getContext(), panels));
    for (Operation *user : argument.getUsers()) {
      if (auto attention = llvm::dyn_cast<xf::AttentionOp>(user))
        attention.setKLayout(panels);
      if (auto append = llvm::dyn_cast<xf::CacheAppendOp>(user))
        append.setLayout(panels);
    }
  });
}

/// The weight of `load` in panels: itself if all its readers want panels (they
/// have been counted), else a copy of its definition.
plan::WeightOp LayoutWeights::panelWeight(plan::LoadOp load) {
  auto weight = symbols.lookup<plan::WeightOp>(load.getWeight());
  std::string name = (load.getWeight() + "." + panels).str();
  if (auto known = symbols.lookup<plan::WeightOp>(name))
    return known;
  mlir::OpBuilder builder(module.getContext());
  auto copy = llvm::cast<plan::WeightOp>(weight->clone());
  copy.setSymName(name);
  copy.setLayout(panels);
  symbols.insert(copy, std::next(weight->getIterator()));
  return copy;
}

void LayoutWeights::layoutWeights() {
  // Which weights are read by rows as well.
  llvm::StringSet<> byRows;
  llvm::SmallVector<std::pair<OpOperand *, plan::KernelOp>> wanted;
  forDispatches([&](plan::EntryOp, plan::DispatchOp dispatch,
                    plan::KernelOp kernel) {
    for (OpOperand &operand : dispatch->getOpOperands()) {
      auto load = operand.get().getDefiningOp<plan::LoadOp>();
      if (load && isPanelWeight(kernel.getArgument(operand.getOperandNumber())))
        wanted.push_back({&operand, kernel});
    }
  });
  llvm::DenseSet<OpOperand *> panelUses;
  for (auto [operand, kernel] : wanted)
    panelUses.insert(operand);
  for (auto entry : module.getOps<plan::EntryOp>())
    entry.walk([&](plan::LoadOp load) {
      for (OpOperand &use : load->getUses())
        if (!panelUses.contains(&use))
          byRows.insert(load.getWeight());
    });

  for (auto [operand, kernel] : wanted) {
    kernel.setArgAttr(operand->getOperandNumber(), layoutName,
                      mlir::StringAttr::get(module.getContext(), panels));
    auto load = operand->get().getDefiningOp<plan::LoadOp>();
    if (!byRows.contains(load.getWeight())) {
      symbols.lookup<plan::WeightOp>(load.getWeight()).setLayout(panels);
      continue;
    }
    mlir::OpBuilder builder(operand->getOwner());
    operand->set(plan::LoadOp::create(builder, load.getLoc(), load.getType(),
                                      panelWeight(load).getSymName()));
    if (load->use_empty())
      load.erase();
  }
}

/// Puts the weights that entries read first, in the order in which they do.
void LayoutWeights::orderWeights() {
  llvm::SetVector<Operation *> used;
  forDispatches([&](plan::EntryOp, plan::DispatchOp dispatch, plan::KernelOp) {
    for (Value operand : dispatch.getOperands())
      if (auto load = operand.getDefiningOp<plan::LoadOp>())
        used.insert(symbols.lookup(load.getWeight()));
  });
  mlir::Block *body = module.getBody();
  for (Operation *weight : llvm::reverse(used))
    weight->moveBefore(body, body->begin());
}

namespace {

struct LayoutWeightsPass
    : tiling::impl::LayoutWeightsPassBase<LayoutWeightsPass> {
  void runOnOperation() override { LayoutWeights(getOperation()).run(); }
};

} // namespace
