//===- ProveVersions.cpp - Every command reads the values it means --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/ProveVersions.h"

using namespace dragoman;
using namespace dragoman::lowering;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::Value;

namespace {

/// A value that lies in a memory, whole or not any more.
struct Content {
  Value value;
  Location at;
  Operation *overwrittenBy = nullptr;
  llvm::SmallVector<Value, 2> overwriters;
};

class VersionProof {
public:
  explicit VersionProof(EntryPlan &plan) : plan(plan) {}

  LogicalResult run();

private:
  LogicalResult run(size_t first, size_t end);
  LogicalResult runLoop(size_t begin, size_t end);
  LogicalResult step(const PlannedCommand &command);
  LogicalResult dispatch(plan::DispatchOp op);
  LogicalResult copy(const PlannedCommand &command);
  LogicalResult insert(mlir::tensor::InsertSliceOp op);
  LogicalResult returned(Operation *terminator);

  LogicalResult read(Operation *op, Value value);
  void overwrite(Operation *op, Value by, const Location &at);
  void hold(Value value);
  void forget(mlir::Block &body);
  Content *find(Value value);
  Location locate(Value value);
  size_t endOf(size_t begin) const;
  LogicalResult refuse(Operation *writer, Operation *reader, unsigned memory);

  EntryPlan &plan;
  std::vector<std::vector<Content>> contents; ///< of each memory
  std::vector<Operation *> lastWriter;
};

} // namespace

/// False if the ranges, of one memory, provably share no byte.
static bool mayMeet(const Location &a, const Location &b) {
  auto endsBefore = [](const Location &first, const Location &second) {
    return (second.offset - first.offset - first.bytes).provablyNonNegative();
  };
  return a.memory == b.memory && !endsBefore(a, b) && !endsBefore(b, a);
}

Location VersionProof::locate(Value value) {
  Location at = plan.locate(value);
  contents.resize(plan.memories.size());
  lastWriter.resize(plan.memories.size());
  return at;
}

Content *VersionProof::find(Value value) {
  for (Content &content : contents[locate(value).memory])
    if (content.value == value)
      return &content;
  return nullptr;
}

LogicalResult VersionProof::refuse(Operation *writer, Operation *reader,
                                   unsigned memory) {
  const Memory &what = plan.memories[memory];
  auto diagnostic = writer->emitOpError("expected ");
  if (what.space == "state")
    diagnostic << "state @" << what.symbol.getValue()
               << " not to be read after its update";
  else
    diagnostic << "a value not to be read after its memory is taken over";
  diagnostic << ": it would have to be copied";
  diagnostic.attachNote(reader->getLoc()) << "read here";
  return mlir::failure();
}

LogicalResult VersionProof::read(Operation *op, Value value) {
  Value base = plan.behindViews(value);
  unsigned memory = locate(base).memory;
  if (plan.memories[memory].isReadOnly())
    return mlir::success();
  Content *content = find(base);
  if (!content)
    return op->emitOpError("expected operands that a command computes, found ")
           << base.getType();
  return content->overwrittenBy ? refuse(content->overwrittenBy, op, memory)
                                : mlir::success();
}

void VersionProof::overwrite(Operation *op, Value by, const Location &at) {
  contents.resize(plan.memories.size());
  lastWriter.resize(plan.memories.size());
  lastWriter[at.memory] = op;
  for (Content &content : contents[at.memory])
    if (mayMeet(content.at, at)) {
      content.overwrittenBy = op;
      content.overwriters.push_back(by);
    }
}

/// The value is whole from now on; others of its memory stay what they are.
void VersionProof::hold(Value value) {
  Location at = locate(value);
  if (Content *known = find(value)) {
    *known = {value, at, nullptr, {}};
    return;
  }
  contents[at.memory].push_back({value, at, nullptr, {}});
}

LogicalResult VersionProof::dispatch(plan::DispatchOp op) {
  for (Value operand : op.getOperands())
    if (failed(read(op, operand)))
      return mlir::failure();
  for (mlir::OpResult result : op->getResults()) {
    Location at = locate(result);
    mlir::OpOperand *updated = plan.updatedOperand(result);
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (&operand != updated && mayMeet(locate(operand.get()), at))
        return refuse(op, op, at.memory);
    overwrite(op, result, at);
    hold(result);
  }
  return mlir::success();
}

LogicalResult VersionProof::copy(const PlannedCommand &command) {
  if (command.value && failed(read(command.op, command.value)))
    return mlir::failure();
  Value by = command.op->getNumResults() ? command.op->getResult(0) : Value();
  overwrite(command.op, by, command.to);
  return mlir::success();
}

/// The destination's other elements must be what they were.
LogicalResult VersionProof::insert(mlir::tensor::InsertSliceOp op) {
  Value base = plan.behindViews(op.getDest());
  Content *dest = find(base);
  if (!dest)
    return read(op, base);
  if (dest->overwrittenBy)
    for (Value by : dest->overwriters)
      if (by != op.getResult() && by != plan.behindViews(op.getSource()))
        return refuse(dest->overwrittenBy, op, dest->at.memory);
  hold(op.getResult());
  return mlir::success();
}

LogicalResult VersionProof::returned(Operation *terminator) {
  for (mlir::OpOperand &operand : terminator->getOpOperands()) {
    Location at = locate(operand.get());
    const Memory &memory = plan.memories[at.memory];
    if ((memory.space == "state" || memory.space == "output") &&
        failed(read(terminator, operand.get())))
      return mlir::failure();
  }
  // An update that is not returned would still be seen by the next run.
  lastWriter.resize(plan.memories.size());
  for (auto [number, memory] : llvm::enumerate(plan.memories)) {
    if (memory.space != "state" || !lastWriter[number])
      continue;
    bool isReturned =
        llvm::any_of(terminator->getOpOperands(), [&](mlir::OpOperand &use) {
          return plan.entry.getResultAttr(use.getOperandNumber(),
                                          "plan.state") &&
                 locate(use.get()).memory == number;
        });
    if (!isReturned)
      return lastWriter[number]->emitOpError("expected state @")
             << memory.symbol.getValue() << " to be returned after its update";
  }
  return mlir::success();
}

LogicalResult VersionProof::step(const PlannedCommand &command) {
  switch (command.kind) {
  case PlannedCommand::Dispatch:
    return dispatch(llvm::cast<plan::DispatchOp>(command.op));
  case PlannedCommand::Copy:
    return copy(command);
  case PlannedCommand::Fill:
    overwrite(command.op, command.value, command.to);
    hold(command.value);
    return mlir::success();
  case PlannedCommand::Join:
    // A piece that is computed in place must still be there.
    for (Value piece : command.op->getOperands())
      if (locate(piece).memory == locate(command.op->getResult(0)).memory &&
          failed(read(command.op, piece)))
        return mlir::failure();
    hold(command.op->getResult(0));
    return mlir::success();
  case PlannedCommand::Insert:
    return insert(llvm::cast<mlir::tensor::InsertSliceOp>(command.op));
  case PlannedCommand::Return:
    return returned(command.op);
  case PlannedCommand::LoopBegin:
  case PlannedCommand::LoopEnd:
    return mlir::success();
  }
  llvm_unreachable("every command is proved");
}

size_t VersionProof::endOf(size_t begin) const {
  size_t end = begin;
  while (plan.commands[end].kind != PlannedCommand::LoopEnd ||
         plan.commands[end].op != plan.commands[begin].op)
    ++end;
  return end;
}

/// Values of an earlier iteration are nobody's any more.
void VersionProof::forget(mlir::Block &body) {
  for (std::vector<Content> &list : contents)
    llvm::erase_if(list, [&](Content &content) {
      return body.getParentOp()->isAncestor(
          content.value.getParentBlock()->getParentOp());
    });
}

/// Two iterations show what any number does: the second begins where the first
/// has ended, and the third would begin there as well.
LogicalResult VersionProof::runLoop(size_t begin, size_t end) {
  auto loop = llvm::cast<plan::LoopOp>(plan.commands[begin].op);
  mlir::Block &body = loop.getBody().front();
  llvm::SmallVector<Value> starts;
  for (auto [init, argument] :
       llvm::zip(loop.getInits(), loop.getRegionIterArgs())) {
    if (locate(init).memory == locate(argument).memory &&
        failed(read(loop, init)))
      return mlir::failure();
    hold(argument);
  }
  Operation *next = body.getTerminator();
  for (int iteration = 0; iteration < 2; ++iteration) {
    if (failed(run(begin + 1, end)))
      return mlir::failure();
    for (auto [value, argument] :
         llvm::zip(next->getOperands(), loop.getRegionIterArgs()))
      if (locate(value).memory == locate(argument).memory &&
          failed(read(next, value)))
        return mlir::failure();
    forget(body);
    for (Value argument : loop.getRegionIterArgs())
      hold(argument);
  }
  forget(body);
  for (Value result : loop.getResults())
    hold(result);
  return mlir::success();
}

LogicalResult VersionProof::run(size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    if (plan.commands[i].kind != PlannedCommand::LoopBegin) {
      if (failed(step(plan.commands[i])))
        return mlir::failure();
      continue;
    }
    size_t last = endOf(i);
    if (failed(runLoop(i, last)))
      return mlir::failure();
    i = last;
  }
  return mlir::success();
}

LogicalResult VersionProof::run() {
  for (mlir::BlockArgument argument : plan.entry.getBody().getArguments())
    hold(argument);
  return run(0, plan.commands.size());
}

LogicalResult lowering::proveVersions(EntryPlan &plan) {
  return VersionProof(plan).run();
}
