//===- AssignSlots.cpp - Every value of an entry gets a place in memory ---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/BufferColouring.h"
#include "compiler/lowering/Passes.h"
#include "dialects/plan/Plan.h"
#include "dialects/upstream/KernelRoles.h"
#include "dialects/xf/DimAnalysis.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace dragoman::lowering {
#define GEN_PASS_DEF_ASSIGNSLOTSPASS
#include "compiler/lowering/Passes.h.inc"
} // namespace dragoman::lowering

using namespace dragoman;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::OpOperand;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// Where a value lies: what plan.slot says.
struct Place {
  llvm::StringRef space;
  int64_t index = 0;
  mlir::StringAttr symbol;
  DimExpr offset, bytes;

  bool is(llvm::StringRef name) const { return space == name; }
  bool operator<(const Place &other) const {
    return std::tuple(space, index, name(), offset, bytes) <
           std::tuple(other.space, other.index, other.name(), other.offset,
                      other.bytes);
  }

private:
  llvm::StringRef name() const {
    return symbol ? symbol.getValue() : llvm::StringRef();
  }
};

class SlotAssigner {
public:
  SlotAssigner(plan::EntryOp entry, mlir::SymbolTable &symbols)
      : entry(entry), symbols(symbols), body(entry.getBody().front()) {}
  LogicalResult run();

private:
  void placeArguments();
  LogicalResult placeDispatches();
  LogicalResult proveInPlace(plan::DispatchOp dispatch, OpOperand &state);
  LogicalResult placeReturned();
  LogicalResult returnState(OpOperand &operand, mlir::Attribute state);
  LogicalResult proveReturned();
  void placeInArena();
  void rewrite();

  /// The value whose memory a chain of views names.
  Value rootOf(Value value);
  DimExpr bytesOf(Value value);
  bool isPlaced(Value root) { return places.count(root); }
  Value slot(mlir::OpBuilder &builder, const Place &place);

  plan::EntryOp entry;
  mlir::SymbolTable &symbols;
  mlir::Block &body;
  xf::DimAnalysis analysis;
  llvm::MapVector<Operation *, size_t> numbers;
  llvm::DenseMap<Value, Place> places;
  /// For each dispatch result that takes over memory: whose.
  llvm::DenseMap<Value, Value> takesOver;
  llvm::SmallVector<Value> unplaced;
  /// Values that reach an output only by a copy.
  llvm::SmallVector<std::pair<Value, Place>> copies;
  std::map<Place, Value> slots;
};

} // namespace

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

Value SlotAssigner::rootOf(Value value) {
  value = viewed(value);
  for (auto taken = takesOver.find(value); taken != takesOver.end();
       taken = takesOver.find(value))
    value = viewed(taken->second);
  return value;
}

DimExpr SlotAssigner::bytesOf(Value value) {
  DimExpr bytes(elementBytes(
      llvm::cast<RankedTensorType>(value.getType()).getElementType()));
  for (const DimExpr &dim : analysis.dimsOf(value))
    bytes *= dim;
  return bytes;
}

void SlotAssigner::placeArguments() {
  int64_t inputs = 0;
  for (mlir::BlockArgument argument : body.getArguments()) {
    auto state = entry.getArgAttrOfType<mlir::FlatSymbolRefAttr>(
        argument.getArgNumber(), "plan.state");
    Place place{state ? "state" : "input", state ? 0 : inputs++,
                state ? state.getAttr() : mlir::StringAttr(), DimExpr(0),
                bytesOf(argument)};
    places[argument] = place;
  }
  for (auto load : body.getOps<plan::LoadOp>()) {
    auto weight = symbols.lookup<plan::WeightOp>(load.getWeight());
    auto type = llvm::cast<RankedTensorType>(weight.getType());
    int64_t elements = type.getNumElements();
    if (weight.getLayout() == "panel16")
      elements = llvm::alignTo(type.getDimSize(0), 16) * type.getDimSize(1);
    places[load] = {"weight", 0, load.getWeightAttr().getAttr(), DimExpr(0),
                    DimExpr(elements * elementBytes(type.getElementType()))};
  }
}

/// The uses of a value, through views.
static llvm::SmallVector<OpOperand *> readersOf(Value value) {
  llvm::SmallVector<OpOperand *> readers;
  for (OpOperand &use : value.getUses()) {
    if (!isView(use.getOwner())) {
      readers.push_back(&use);
      continue;
    }
    llvm::append_range(readers, readersOf(use.getOwner()->getResult(0)));
  }
  return readers;
}

/// The update is in place if nothing reads the old value afterwards, by any of
/// its views, nor the same dispatch by another argument.
LogicalResult SlotAssigner::proveInPlace(plan::DispatchOp dispatch,
                                         OpOperand &state) {
  Value root = rootOf(state.get());
  auto place = places.find(root);
  if (place == places.end() || !place->second.is("state"))
    return dispatch.emitOpError("expected argument ")
           << state.getOperandNumber()
           << " to be a state, since the kernel updates it in place";
  for (OpOperand *use : readersOf(viewed(state.get()))) {
    Operation *user = use->getOwner();
    bool later =
        user == dispatch ? use != &state : dispatch->isBeforeInBlock(user);
    if (!later)
      continue;
    auto diagnostic = dispatch.emitOpError("expected state @")
                      << place->second.symbol.getValue()
                      << " not to be read after its update: it would have to "
                         "be copied";
    diagnostic.attachNote(user->getLoc()) << "read here";
    return diagnostic;
  }
  return mlir::success();
}

LogicalResult SlotAssigner::placeDispatches() {
  for (auto dispatch : body.getOps<plan::DispatchOp>()) {
    numbers[dispatch] = numbers.size();
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
      auto alias =
          kernel.getResultAttrOfType<mlir::IntegerAttr>(number, "plan.alias");
      if (!alias) {
        unplaced.push_back(result);
        continue;
      }
      OpOperand &state = dispatch->getOpOperand(alias.getInt());
      if (failed(proveInPlace(dispatch, state)))
        return mlir::failure();
      takesOver[result] = state.get();
    }
  }
  return mlir::success();
}

LogicalResult SlotAssigner::returnState(OpOperand &operand,
                                        mlir::Attribute state) {
  auto place = places.find(rootOf(operand.get()));
  auto name = llvm::cast<mlir::FlatSymbolRefAttr>(state).getAttr();
  if (place != places.end() && place->second.is("state") &&
      place->second.symbol == name)
    return mlir::success();
  return entry.emitOpError("expected result ")
         << operand.getOperandNumber() << " to be state @" << name.getValue()
         << " updated in place, found a value that would have to be copied "
            "into it";
}

/// An update that the entry does not return would still be seen by the next
/// run.
LogicalResult SlotAssigner::proveReturned() {
  for (auto dispatch : body.getOps<plan::DispatchOp>())
    for (mlir::OpResult result : dispatch->getResults()) {
      if (!takesOver.contains(result))
        continue;
      auto goesOn = [&](OpOperand *use) {
        if (use->getOwner() == body.getTerminator())
          return entry.getResultAttr(use->getOperandNumber(), "plan.state") !=
                 nullptr;
        return llvm::any_of(use->getOwner()->getResults(), [&](Value updated) {
          return takesOver.lookup(updated) == use->get();
        });
      };
      if (llvm::none_of(readersOf(result), goesOn))
        return dispatch.emitOpError("expected state @")
               << places[rootOf(result)].symbol.getValue()
               << " to be returned after its update";
    }
  return mlir::success();
}

LogicalResult SlotAssigner::placeReturned() {
  int64_t outputs = 0;
  for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
    if (mlir::Attribute state =
            entry.getResultAttr(operand.getOperandNumber(), "plan.state")) {
      if (failed(returnState(operand, state)))
        return mlir::failure();
      continue;
    }
    Value root = rootOf(operand.get());
    Place place{"output", outputs++, {}, DimExpr(0), bytesOf(root)};
    if (isPlaced(root))
      copies.push_back({root, place});
    else
      places[root] = place;
  }
  return mlir::success();
}

/// Gives the values that are nobody's else buffers of the arena.
void SlotAssigner::placeInArena() {
  llvm::MapVector<Value, LiveValue> live;
  for (Value value : unplaced)
    if (!isPlaced(value)) {
      size_t number = numbers[value.getDefiningOp()];
      live[value] = {bytesOf(value), number, number};
    }
  for (auto [op, number] : numbers)
    for (Value operand : op->getOperands()) {
      auto found = live.find(rootOf(operand));
      if (found != live.end())
        found->second.last = std::max(found->second.last, number);
    }
  std::vector<LiveValue> values;
  for (auto &[value, lifetime] : live)
    values.push_back(lifetime);
  BufferPlan plan = colourBuffers(values);
  for (auto [entry, offset] : llvm::zip(live, plan.offsets))
    places[entry.first] = {"arena", 0, {}, offset, entry.second.bytes};
  entry.setArena(plan.bytes.str());
}

Value SlotAssigner::slot(mlir::OpBuilder &builder, const Place &place) {
  Value &slot = slots[place];
  if (!slot) {
    auto symbol = place.symbol ? mlir::FlatSymbolRefAttr::get(place.symbol)
                               : mlir::FlatSymbolRefAttr();
    slot = plan::SlotOp::create(builder, entry.getLoc(),
                                plan::SlotType::get(builder.getContext()),
                                place.space, place.index, symbol,
                                place.offset.str(), place.bytes.str());
  }
  return slot;
}

/// Rebuilds the body on slots: the slots in order of use, then the commands.
void SlotAssigner::rewrite() {
  Operation *terminator = body.getTerminator();
  mlir::OpBuilder commands(terminator);
  auto slotBuilder = mlir::OpBuilder::atBlockBegin(&body);
  llvm::SmallVector<Operation *> old;
  for (Operation &op : body)
    old.push_back(&op);
  for (auto [op, number] : numbers) {
    auto dispatch = llvm::cast<plan::DispatchOp>(op);
    llvm::SmallVector<Value> operands;
    for (Value operand : dispatch.getOperands())
      operands.push_back(slot(slotBuilder, places[rootOf(operand)]));
    for (Value result : dispatch.getResults())
      if (!takesOver.contains(result))
        operands.push_back(slot(slotBuilder, places[result]));
    plan::DispatchOp::create(commands, dispatch.getLoc(), mlir::TypeRange(),
                             dispatch.getKernelAttr(), operands,
                             dispatch.getDims());
  }
  for (auto &[value, target] : copies)
    plan::CopyOp::create(commands, entry.getLoc(),
                         slot(slotBuilder, places[value]),
                         slot(slotBuilder, target));
  plan::ReturnOp::create(commands, terminator->getLoc(), mlir::ValueRange());
  for (Operation *op : llvm::reverse(old))
    if (!llvm::isa<plan::CheckOp>(op))
      op->erase();
}

LogicalResult SlotAssigner::run() {
  placeArguments();
  if (failed(placeDispatches()) || failed(placeReturned()) ||
      failed(proveReturned()))
    return mlir::failure();
  placeInArena();
  rewrite();
  return mlir::success();
}

namespace {

struct AssignSlotsPass : lowering::impl::AssignSlotsPassBase<AssignSlotsPass> {
  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    for (auto entry : getOperation().getOps<plan::EntryOp>())
      if (!entry.getArena() && failed(SlotAssigner(entry, symbols).run()))
        return signalPassFailure();
  }
};

} // namespace
