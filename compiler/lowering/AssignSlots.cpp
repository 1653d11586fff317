//===- AssignSlots.cpp - Every value of an entry gets a place in memory ---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/BufferColouring.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/ProveVersions.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace dragoman::lowering {
#define GEN_PASS_DEF_ASSIGNSLOTSPASS
#include "compiler/lowering/Passes.h.inc"
} // namespace dragoman::lowering

using namespace dragoman;
using namespace dragoman::lowering;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::Value;

namespace {

/// Gives the memories of a plan places and rewrites the entry on slots.
class SlotAssigner {
public:
  explicit SlotAssigner(EntryPlan &plan)
      : plan(plan), body(plan.entry.getBody().front()) {}

  void run() {
    placeInArena();
    rewrite();
  }

private:
  using Lives = llvm::MapVector<unsigned, LiveValue>;

  void live(Lives &lives, unsigned memory, size_t number);
  void liveThroughLoops(Lives &lives);
  void placeInArena();
  void rewrite();
  void emit(const PlannedCommand &command);
  /// The entry, or a loop, under construction.
  struct Level {
    std::string dim; ///< empty: the entry
    mlir::OpBuilder slots, commands;
    Operation *mark; ///< what slots go in front of; null: the entry's old body
    /// By the slot that they are a part of, offset and bytes.
    std::map<std::tuple<const void *, std::string, std::string>, Value> parts;
  };

  Value whole(unsigned memory);
  Value part(const Location &at);
  Value slot(const Location &at);
  /// The innermost level whose dimension the place depends on.
  Level &levelOf(const Location &at);

  EntryPlan &plan;
  mlir::Block &body;
  std::vector<DimExpr> offsets; ///< in the arena, of each memory
  /// The slots of memories, by what they say.
  std::map<std::tuple<std::string, int64_t, std::string, std::string>, Value>
      wholes;
  std::vector<Level> levels;
};

} // namespace

//===----------------------------------------------------------------------===//
// The arena
//===----------------------------------------------------------------------===//

void SlotAssigner::live(Lives &lives, unsigned memory, size_t number) {
  if (!plan.memories[memory].space.empty())
    return;
  auto [known, isNew] =
      lives.insert({memory, {plan.memories[memory].bytes, number, number}});
  known->second.last = number;
}

/// What stands in front of a loop and is needed in it is needed in every
/// iteration.
void SlotAssigner::liveThroughLoops(Lives &lives) {
  std::vector<size_t> begins;
  for (auto [number, command] : llvm::enumerate(plan.commands)) {
    if (command.kind == PlannedCommand::LoopBegin)
      begins.push_back(number);
    if (command.kind != PlannedCommand::LoopEnd)
      continue;
    size_t begin = begins.back();
    begins.pop_back();
    for (auto &[memory, life] : lives)
      if (life.first < begin && life.last > begin)
        life.last = std::max(life.last, number);
  }
}

void SlotAssigner::placeInArena() {
  Lives lives;
  for (auto [number, command] : llvm::enumerate(plan.commands)) {
    if (command.kind == PlannedCommand::Copy)
      live(lives, command.from.memory, number);
    if (command.kind == PlannedCommand::Copy ||
        command.kind == PlannedCommand::Fill)
      live(lives, command.to.memory, number);
    if (command.kind != PlannedCommand::Dispatch)
      continue;
    for (Value value : command.op->getOperands())
      live(lives, plan.locate(value).memory, number);
    for (Value value : command.op->getResults())
      live(lives, plan.locate(value).memory, number);
  }
  liveThroughLoops(lives);
  std::vector<LiveValue> values;
  for (auto &[memory, life] : lives)
    values.push_back(life);
  BufferPlan buffers = colourBuffers(values);
  offsets.resize(plan.memories.size());
  for (auto [life, offset] : llvm::zip(lives, buffers.offsets))
    offsets[life.first] = offset;
  plan.entry.setArena(buffers.bytes.str());
}

//===----------------------------------------------------------------------===//
// The entry on slots
//===----------------------------------------------------------------------===//

/// Memories that share bytes of the arena, and are as large, share a slot.
Value SlotAssigner::whole(unsigned memory) {
  const Memory &what = plan.memories[memory];
  bool isArena = what.space.empty();
  llvm::StringRef space = isArena ? "arena" : what.space;
  std::string offset = isArena ? offsets[memory].str() : "0";
  auto symbol = what.symbol ? mlir::FlatSymbolRefAttr::get(what.symbol)
                            : mlir::FlatSymbolRefAttr();
  Value &slot = wholes[{space.str() + what.bytes.str(), what.index,
                        what.symbol ? what.symbol.str() : "", offset}];
  mlir::OpBuilder &builder = levels.front().slots;
  if (!slot)
    slot = plan::SlotOp::create(
        builder, plan.entry.getLoc(), plan::SlotType::get(builder.getContext()),
        space, what.index, symbol, offset, what.bytes.str());
  return slot;
}

SlotAssigner::Level &SlotAssigner::levelOf(const Location &at) {
  std::vector<std::string> names = at.offset.names();
  llvm::append_range(names, at.bytes.names());
  for (Level &level : llvm::reverse(levels))
    if (llvm::is_contained(names, level.dim))
      return level;
  return levels.front();
}

Value SlotAssigner::part(const Location &at) {
  Value of = whole(at.memory);
  Level &level = levelOf(at);
  Value &part =
      level.parts[{of.getAsOpaquePointer(), at.offset.str(), at.bytes.str()}];
  if (!part)
    part = plan::PartOp::create(level.slots, plan.entry.getLoc(), of.getType(),
                                of, at.offset.str(), at.bytes.str());
  return part;
}

Value SlotAssigner::slot(const Location &at) {
  bool isWhole =
      at.offset.isConstant(0) && at.bytes == plan.memories[at.memory].bytes;
  return isWhole ? whole(at.memory) : part(at);
}

void SlotAssigner::emit(const PlannedCommand &command) {
  mlir::OpBuilder &commands = levels.back().commands;
  mlir::Location loc = command.op->getLoc();
  switch (command.kind) {
  case PlannedCommand::Dispatch: {
    auto dispatch = llvm::cast<plan::DispatchOp>(command.op);
    llvm::SmallVector<Value> operands;
    for (Value operand : dispatch.getOperands())
      operands.push_back(slot(plan.locate(operand)));
    for (mlir::OpResult result : dispatch->getResults())
      if (!plan.updatedOperand(result))
        operands.push_back(slot(plan.locate(result)));
    plan::DispatchOp::create(commands, loc, mlir::TypeRange(),
                             dispatch.getKernelAttr(), operands,
                             dispatch.getDims());
    return;
  }
  case PlannedCommand::Copy: {
    Value from = slot(command.from);
    plan::CopyOp::create(commands, loc, from, slot(command.to));
    return;
  }
  case PlannedCommand::Fill:
    plan::FillOp::create(commands, loc, slot(command.to), 0);
    return;
  case PlannedCommand::LoopBegin: {
    auto old = llvm::cast<plan::LoopOp>(command.op);
    auto loop =
        plan::LoopOp::create(commands, loc, mlir::TypeRange(), old.getDim(),
                             old.getTrips(), mlir::ValueRange());
    mlir::Block &block = loop.getBody().emplaceBlock();
    auto inside = mlir::OpBuilder::atBlockBegin(&block);
    auto mark = plan::NextOp::create(inside, loc, mlir::ValueRange());
    auto next = plan::NextOp::create(inside, loc, mlir::ValueRange());
    levels.push_back({old.getDim().str(),
                      mlir::OpBuilder(mark),
                      mlir::OpBuilder(next),
                      mark,
                      {}});
    return;
  }
  case PlannedCommand::LoopEnd:
    levels.back().mark->erase();
    levels.pop_back();
    return;
  case PlannedCommand::Return:
    plan::ReturnOp::create(commands, loc, mlir::ValueRange());
    return;
  case PlannedCommand::Join:
  case PlannedCommand::Insert:
    return;
  }
}

/// Rebuilds the body on slots: the slots in order of use, then the commands.
void SlotAssigner::rewrite() {
  Operation *terminator = body.getTerminator();
  llvm::SmallVector<Operation *> old;
  for (Operation &op : body)
    old.push_back(&op);
  levels.push_back({"",
                    mlir::OpBuilder::atBlockBegin(&body),
                    mlir::OpBuilder(terminator),
                    nullptr,
                    {}});
  for (const PlannedCommand &command : plan.commands)
    emit(command);
  for (Operation *op : llvm::reverse(old))
    if (!llvm::isa<plan::CheckOp>(op))
      op->erase();
}

namespace {

struct AssignSlotsPass : lowering::impl::AssignSlotsPassBase<AssignSlotsPass> {
  LogicalResult assign(plan::EntryOp entry, mlir::SymbolTable &symbols) {
    EntryPlan plan(entry, symbols);
    if (failed(plan.build()) || failed(proveVersions(plan)))
      return mlir::failure();
    SlotAssigner(plan).run();
    return mlir::success();
  }

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<plan::EntryOp>())
      if (!entry.getArena() && failed(assign(entry, symbols)))
        return signalPassFailure();
  }
};

} // namespace
