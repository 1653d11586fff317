//===- EntryPlan.cpp - Which memory the values of an entry share ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/EntryPlan.h"

#include "compiler/places/Slices.h"
#include "dialects/upstream/KernelRoles.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace dragoman;
using namespace dragoman::lowering;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::OpOperand;
using mlir::RankedTensorType;
using mlir::Value;

/// Bytes of one element in memory; i1 takes one byte.
static int64_t elementBytes(mlir::Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// The value behind a chain of views.
static Value viewed(Value value) {
  while (Operation *producer = value.getDefiningOp()) {
    if (!isView(producer))
      break;
    value = producer->getOperand(0);
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Memory of a value
//===----------------------------------------------------------------------===//

DimExpr EntryPlan::bytesOf(Value value) {
  DimExpr bytes(elementBytes(
      llvm::cast<RankedTensorType>(value.getType()).getElementType()));
  for (const DimExpr &dim : analysis.dimsOf(value))
    bytes *= dim;
  return bytes;
}

unsigned EntryPlan::addMemory(Memory memory) {
  memories.push_back(std::move(memory));
  return memories.size() - 1;
}

Value EntryPlan::behindViews(Value value) {
  while (Operation *producer = value.getDefiningOp()) {
    if (!isView(producer) && !isDenseSlice(producer, analysis))
      break;
    value = producer->getOperand(0);
  }
  return value;
}

Location EntryPlan::locate(Value value) {
  DimExpr offset(0), bytes = bytesOf(value);
  while (true) {
    if (auto link = links.find(value); link != links.end()) {
      offset += link->second.offset;
      value = link->second.whole;
      continue;
    }
    Operation *producer = value.getDefiningOp();
    if (producer && isView(producer)) {
      value = producer->getOperand(0);
      continue;
    }
    std::optional<DimExpr> start;
    if (producer && llvm::isa<mlir::tensor::ExtractSliceOp>(producer))
      start = denseSliceStart(producer, analysis);
    if (!start)
      break;
    auto type = llvm::cast<RankedTensorType>(value.getType());
    offset += *start * DimExpr(elementBytes(type.getElementType()));
    value = producer->getOperand(0);
  }
  auto [known, isNew] = memoryOf.try_emplace(value, memories.size());
  if (isNew) {
    DimExpr whole = bytesOf(value);
    Operation *inside = value.getDefiningOp();
    if (!inside)
      inside = value.getParentBlock()->getParentOp();
    if (std::optional<DimExpr> bound = maximumOverLoops(whole, inside))
      whole = *bound;
    addMemory({"", 0, {}, whole});
  }
  // All of it: with the padding of panels, with room for every iteration.
  if (offset.isConstant(0) && bytes == bytesOf(value))
    bytes = memories[known->second].bytes;
  return {known->second, offset, bytes};
}

OpOperand *EntryPlan::updatedOperand(mlir::OpResult result) {
  auto dispatch = llvm::dyn_cast<plan::DispatchOp>(result.getOwner());
  if (!dispatch)
    return nullptr;
  auto kernel = symbols.lookup<plan::KernelOp>(dispatch.getKernel());
  auto alias = kernel.getResultAttrOfType<mlir::IntegerAttr>(
      result.getResultNumber(), "plan.alias");
  return alias ? &dispatch->getOpOperand(alias.getInt()) : nullptr;
}

/// The commands that read a value, through views and slices.
llvm::SmallVector<OpOperand *> EntryPlan::readersOf(Value value) {
  llvm::SmallVector<OpOperand *> readers;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isShapeArithmetic(user))
      continue;
    if (isView(user) || isDenseSlice(user, analysis))
      llvm::append_range(readers, readersOf(user->getResult(0)));
    else
      readers.push_back(&use);
  }
  return readers;
}

/// True if every reader of the value but `except` stands before `op`.
bool EntryPlan::areReadBefore(Value value, Operation *op, OpOperand *except) {
  return llvm::all_of(readersOf(value), [&](OpOperand *use) {
    Operation *user = op->getBlock()->findAncestorOpInBlock(*use->getOwner());
    return use == except || (user && user->isBeforeInBlock(op));
  });
}

/// True if a kernel dispatched in `block` computes the value, of `bytes`, into
/// memory of its own.
bool EntryPlan::isFresh(Value base, mlir::Block *block, const DimExpr &bytes) {
  Operation *producer = base.getDefiningOp();
  if (!producer || producer->getBlock() != block ||
      !llvm::isa<plan::DispatchOp>(producer) || links.contains(base) ||
      bytesOf(base) != bytes)
    return false;
  auto memory = memoryOf.find(base);
  return memory == memoryOf.end() || memories[memory->second].space.empty();
}

/// The first value, all of whose memory the value has taken over.
Value EntryPlan::firstOf(Value value) {
  value = viewed(value);
  for (auto link = links.find(value);
       link != links.end() && link->second.offset.isConstant(0);
       link = links.find(value))
    value = viewed(link->second.whole);
  return value;
}

void EntryPlan::copy(Operation *at, Value value, const Location &to) {
  commands.push_back({PlannedCommand::Copy, at, value, locate(value), to});
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

void EntryPlan::placeBorder() {
  int64_t inputs = 0;
  for (mlir::BlockArgument argument : entry.getBody().getArguments()) {
    auto state = entry.getArgAttrOfType<mlir::FlatSymbolRefAttr>(
        argument.getArgNumber(), "plan.state");
    memoryOf[argument] = addMemory(
        {state ? "state" : "input", state ? 0 : inputs++,
         state ? state.getAttr() : mlir::StringAttr(), bytesOf(argument)});
  }
  entry.walk([&](plan::LoadOp load) {
    auto weight = symbols.lookup<plan::WeightOp>(load.getWeight());
    auto type = llvm::cast<RankedTensorType>(weight.getType());
    int64_t elements = type.getNumElements();
    if (weight.getLayout() == "panel16")
      elements = llvm::alignTo(type.getDimSize(0), 16) * type.getDimSize(1);
    memoryOf[load] =
        addMemory({"weight", 0, load.getWeightAttr().getAttr(),
                   DimExpr(elements * elementBytes(type.getElementType()))});
  });
}

LogicalResult EntryPlan::visitDispatch(plan::DispatchOp dispatch) {
  auto kernel = symbols.lookup<plan::KernelOp>(dispatch.getKernel());
  llvm::SmallVector<DimExpr> dims = xf::dimsFromAttr(dispatch.getDims());
  std::map<std::string, DimExpr> values;
  for (auto [name, dim] :
       llvm::zip(kernel.getDims().getAsRange<mlir::StringAttr>(), dims))
    values[name.str()] = dim;
  for (mlir::OpResult result : dispatch->getResults()) {
    unsigned number = result.getResultNumber();
    // Sizes of results are the kernel's, in the entry's dimensions.
    auto stated =
        kernel.getResultAttrOfType<mlir::ArrayAttr>(number, "xf.dims");
    if (!stated)
      return kernel.emitOpError("expected xf.dims on result ") << number;
    llvm::SmallVector<DimExpr> shape = xf::dimsFromAttr(stated);
    for (DimExpr &dim : shape)
      dim = dim.substitute(
          [&](const std::string &name) -> std::optional<DimExpr> {
            return values.at(name);
          });
    analysis.setDims(result, shape);
    OpOperand *updated = updatedOperand(result);
    if (!updated)
      continue;
    if (memories[locate(updated->get()).memory].isReadOnly())
      return dispatch.emitOpError("expected argument ")
             << updated->getOperandNumber()
             << " not to be an input or a weight, since the kernel updates it "
                "in place";
    links[result] = {updated->get(), DimExpr(0)};
  }
  commands.push_back({PlannedCommand::Dispatch, dispatch, {}, {}, {}});
  return mlir::success();
}

void EntryPlan::visitConcat(mlir::tensor::ConcatOp concat) {
  DimExpr offset(0);
  for (Value piece : concat.getInputs()) {
    DimExpr bytes = bytesOf(piece);
    Value base = firstOf(piece);
    if (isFresh(base, concat->getBlock(), bytes)) {
      links[base] = {concat.getResult(), offset};
    } else {
      Location to = locate(concat.getResult());
      copy(concat, piece, {to.memory, to.offset + offset, bytes});
    }
    offset += bytes;
  }
  commands.push_back({PlannedCommand::Join, concat, {}, {}, {}});
}

/// What is inserted is computed inside the destination unless that is read, or
/// comes to be, behind its kernel.
void EntryPlan::visitInsert(mlir::tensor::InsertSliceOp insert) {
  std::optional<DimExpr> start = denseSliceStart(insert, analysis);
  assert(start && "entries hold dense slices only");
  Value source = insert.getSource(), base = viewed(source);
  auto type = llvm::cast<RankedTensorType>(source.getType());
  DimExpr bytes = bytesOf(source),
          offset = *start * DimExpr(elementBytes(type.getElementType()));
  links[insert.getResult()] = {insert.getDest(), DimExpr(0)};
  Value dest = behindViews(insert.getDest());
  Operation *from = dest.getDefiningOp();
  if (isFresh(base, insert->getBlock(), bytes) &&
      dest.getParentBlock() == insert->getBlock() &&
      (!from || from->isBeforeInBlock(base.getDefiningOp())) &&
      areReadBefore(dest, base.getDefiningOp(), &insert.getDestMutable())) {
    links[base] = {insert.getDest(), offset};
  } else {
    Location to = locate(insert.getDest());
    copy(insert, source, {to.memory, to.offset + offset, bytes});
  }
  commands.push_back({PlannedCommand::Insert, insert, {}, {}, {}});
}

/// True if a loop may update the memory of an init: nothing else reads it any
/// more.
bool EntryPlan::mayTakeOver(OpOperand &init) {
  Operation *loop = init.getOwner();
  Value base = viewed(init.get());
  if (base.getParentBlock() != loop->getBlock() ||
      (base.getDefiningOp() &&
       !llvm::isa<plan::DispatchOp, plan::LoopOp, mlir::tensor::ConcatOp,
                  mlir::tensor::InsertSliceOp>(base.getDefiningOp())) ||
      memories[locate(base).memory].isReadOnly())
    return false;
  return areReadBefore(base, loop, &init);
}

LogicalResult EntryPlan::visitLoop(plan::LoopOp loop) {
  for (auto [init, argument, result] :
       llvm::zip(loop.getInitsMutable(), loop.getRegionIterArgs(),
                 loop.getResults())) {
    links[result] = {argument, DimExpr(0)};
    if (mayTakeOver(init)) {
      links[argument] = {init.get(), DimExpr(0)};
      continue;
    }
    Location to = locate(argument);
    if (viewed(init.get()).getDefiningOp<mlir::tensor::EmptyOp>())
      commands.push_back({PlannedCommand::Fill, loop, argument, {}, to});
    else
      copy(loop, init.get(), to);
  }
  commands.push_back({PlannedCommand::LoopBegin, loop, {}, {}, {}});
  if (failed(visit(loop.getBody().front())))
    return mlir::failure();
  visitNext(loop);
  commands.push_back({PlannedCommand::LoopEnd, loop, {}, {}, {}});
  return mlir::success();
}

/// Brings what the next iteration starts from to where it is expected.
void EntryPlan::visitNext(plan::LoopOp loop) {
  mlir::Block &body = loop.getBody().front();
  Operation *next = body.getTerminator();
  llvm::SmallVector<std::pair<Value, Location>> copies;
  for (auto [operand, argument] :
       llvm::zip(next->getOpOperands(), loop.getRegionIterArgs())) {
    Location from = locate(operand.get()), to = locate(argument);
    if (from.memory == to.memory && from.offset == to.offset)
      continue;
    Value base = viewed(operand.get());
    if (isFresh(base, &body, to.bytes) &&
        areReadBefore(argument, base.getDefiningOp(), nullptr)) {
      links[base] = {argument, DimExpr(0)};
      continue;
    }
    copies.push_back({operand.get(), to});
  }
  // Values that change places meet in memory of their own.
  bool exchange = llvm::any_of(copies, [&](auto &copied) {
    return llvm::any_of(loop.getRegionIterArgs(), [&](Value argument) {
      return locate(argument).memory == locate(copied.first).memory;
    });
  });
  for (auto &[value, to] : copies) {
    if (!exchange) {
      copy(next, value, to);
      continue;
    }
    Location between{addMemory({"", 0, {}, to.bytes}), DimExpr(0), to.bytes};
    copy(next, value, between);
  }
  for (size_t i = 0; exchange && i < copies.size(); ++i) {
    Location between = commands[commands.size() - copies.size()].to;
    commands.push_back(
        {PlannedCommand::Copy, next, {}, between, copies[i].second});
  }
}

LogicalResult EntryPlan::visit(mlir::Block &block) {
  for (Operation &op : block) {
    LogicalResult visited =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](plan::DispatchOp dispatch) {
              return visitDispatch(dispatch);
            })
            .Case([&](mlir::tensor::ConcatOp concat) {
              visitConcat(concat);
              return mlir::success();
            })
            .Case([&](mlir::tensor::InsertSliceOp insert) {
              visitInsert(insert);
              return mlir::success();
            })
            .Case([&](plan::LoopOp loop) { return visitLoop(loop); })
            .Default([](Operation *) { return mlir::success(); });
    if (failed(visited))
      return mlir::failure();
  }
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A value that replaces a state is computed in the state's memory, if the old
/// contents are not needed any more.
LogicalResult EntryPlan::returnState(OpOperand &operand,
                                     mlir::Attribute state) {
  auto name = llvm::cast<mlir::FlatSymbolRefAttr>(state).getAttr();
  auto inState = [&](Value value) {
    const Memory &memory = memories[locate(value).memory];
    return memory.space == "state" && memory.symbol == name;
  };
  if (inState(operand.get()))
    return mlir::success();
  Value argument;
  for (mlir::BlockArgument candidate : entry.getBody().getArguments())
    if (entry.getArgAttr(candidate.getArgNumber(), "plan.state") == state)
      argument = candidate;
  Value base = viewed(operand.get());
  Operation *writer = base.getDefiningOp();
  mlir::Block &body = entry.getBody().front();
  bool isFree = argument && isFresh(base, &body, bytesOf(argument));
  for (PlannedCommand &command : commands) {
    Operation *op = body.findAncestorOpInBlock(*command.op);
    isFree = isFree && (op->isBeforeInBlock(writer) ||
                        llvm::none_of(command.op->getOperands(), [&](Value v) {
                          return llvm::isa<RankedTensorType>(v.getType()) &&
                                 inState(v);
                        }));
  }
  if (!isFree)
    return entry.emitOpError("expected result ")
           << operand.getOperandNumber() << " to be state @" << name.getValue()
           << " updated in place, found a value that would have to be copied "
              "into it";
  links[base] = {argument, DimExpr(0)};
  return mlir::success();
}

LogicalResult EntryPlan::visitReturn(Operation *terminator) {
  int64_t outputs = 0;
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (mlir::Attribute state =
            entry.getResultAttr(operand.getOperandNumber(), "plan.state")) {
      if (failed(returnState(operand, state)))
        return mlir::failure();
      continue;
    }
    Location at = locate(operand.get());
    Memory output{"output", outputs++, {}, at.bytes};
    Memory &memory = memories[at.memory];
    if (memory.space.empty() && at.offset.isConstant(0) &&
        at.bytes == memory.bytes)
      memory = output;
    else
      copy(terminator, operand.get(),
           {addMemory(output), DimExpr(0), at.bytes});
  }
  commands.push_back({PlannedCommand::Return, terminator, {}, {}, {}});
  return mlir::success();
}

LogicalResult EntryPlan::build() {
  placeBorder();
  mlir::Block &body = entry.getBody().front();
  if (failed(visit(body)))
    return mlir::failure();
  return visitReturn(body.getTerminator());
}
