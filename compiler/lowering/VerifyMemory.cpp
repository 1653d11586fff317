//===- VerifyMemory.cpp - No command reads what another overwrote ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/VerifyMemory.h"

#include "runtime/artifact/DimExpr.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace dragoman;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::Value;

namespace {

/// A range of bytes; equal ranges of one buffer are one place.
struct Place {
  std::string buffer; ///< space, and which of it
  DimExpr offset, bytes;
  /// The end, rounded up to a line of 64 bytes: offsets are made of lines, so
  /// what can be proved of ends can be proved of this.
  DimExpr end;
  bool isReadOnly = false;
  bool isWritten = false; ///< holds what the last write to it left
  Operation *overwrittenBy = nullptr;
};

class MemoryVerifier {
public:
  MemoryVerifier(plan::EntryOp entry, mlir::SymbolTable &symbols)
      : entry(entry), symbols(symbols) {}
  LogicalResult verify();

private:
  LogicalResult verifyNames(Operation *op, llvm::ArrayRef<DimExpr> exprs);
  LogicalResult verifyNames(Operation *op, mlir::ArrayAttr texts);
  LogicalResult addSlot(plan::SlotOp slot);
  LogicalResult runDispatch(plan::DispatchOp dispatch);
  LogicalResult runCopy(plan::CopyOp copy);
  LogicalResult runCheck(plan::CheckOp check);
  LogicalResult verifyOutputs();

  LogicalResult read(Operation *op, unsigned operand);
  /// After all reads of `op`.
  LogicalResult write(Operation *op, unsigned operand);
  bool areApart(size_t a, size_t b);
  size_t placeOf(Operation *op, unsigned operand) {
    return numbers.lookup(op->getOperand(operand));
  }

  plan::EntryOp entry;
  mlir::SymbolTable &symbols;
  llvm::StringSet<> dims;
  DimExpr arena;
  std::vector<Place> places;
  llvm::DenseMap<Value, size_t> numbers;
  std::map<std::pair<size_t, size_t>, bool> apart;
};

} // namespace

/// An expression that the op's verifier has parsed.
static DimExpr expression(llvm::StringRef text) {
  Result<DimExpr> parsed = DimExpr::parse(text);
  assert(parsed && "expected an expression, as the verifier checked");
  return *parsed;
}

LogicalResult MemoryVerifier::verifyNames(Operation *op,
                                          llvm::ArrayRef<DimExpr> exprs) {
  for (const DimExpr &expr : exprs)
    for (const std::string &name : expr.names())
      if (!dims.contains(name))
        return op->emitOpError("expected expressions in the entry's "
                               "dimensions, found '")
               << name << "' in '" << expr.str() << "'";
  return mlir::success();
}

LogicalResult MemoryVerifier::verifyNames(Operation *op,
                                          mlir::ArrayAttr texts) {
  llvm::SmallVector<DimExpr> exprs;
  for (auto text : texts.getAsRange<mlir::StringAttr>())
    exprs.push_back(expression(text.getValue()));
  return verifyNames(op, exprs);
}

LogicalResult MemoryVerifier::addSlot(plan::SlotOp slot) {
  Place place;
  llvm::StringRef space = slot.getSpace();
  place.buffer = (space + " " +
                  (slot.getSymbol() ? slot.getSymbol()->str()
                                    : std::to_string(slot.getIndex())))
                     .str();
  place.offset = expression(slot.getOffset());
  place.bytes = expression(slot.getBytes());
  place.end = place.offset + DimExpr::alignTo(place.bytes, 64);
  if (failed(verifyNames(slot, {place.offset, place.bytes})))
    return mlir::failure();
  place.isReadOnly = space == "input" || space == "weight";
  place.isWritten = place.isReadOnly || space == "state";
  if (space == "arena" && !(place.offset.provablyNonNegative() &&
                            (arena - place.end).provablyNonNegative()))
    return slot.emitOpError("expected a place inside the arena of '")
           << arena.str() << "' bytes, found '" << place.bytes.str()
           << "' bytes at '" << place.offset.str() << "'";
  auto isEqual = [&](const Place &other) {
    return other.buffer == place.buffer && other.offset == place.offset &&
           other.bytes == place.bytes;
  };
  auto known = llvm::find_if(places, isEqual);
  numbers[slot.getSlot()] = known - places.begin();
  if (known == places.end())
    places.push_back(place);
  return mlir::success();
}

bool MemoryVerifier::areApart(size_t a, size_t b) {
  if (a == b)
    return false;
  if (a > b)
    std::swap(a, b);
  auto [known, isNew] = apart.try_emplace({a, b});
  if (isNew) {
    const Place &left = places[a], &right = places[b];
    auto endsBefore = [](const Place &first, const Place &second) {
      return (second.offset - first.end).provablyNonNegative();
    };
    known->second = left.buffer != right.buffer || endsBefore(left, right) ||
                    endsBefore(right, left);
  }
  return known->second;
}

LogicalResult MemoryVerifier::read(Operation *op, unsigned operand) {
  const Place &place = places[placeOf(op, operand)];
  if (place.isWritten)
    return mlir::success();
  if (!place.overwrittenBy)
    return op->emitOpError("reads operand ")
           << operand << ", which nothing has written";
  auto diagnostic = op->emitOpError("reads operand ")
                    << operand << ", which was overwritten";
  diagnostic.attachNote(place.overwrittenBy->getLoc()) << "overwritten here";
  return diagnostic;
}

LogicalResult MemoryVerifier::write(Operation *op, unsigned operand) {
  size_t target = placeOf(op, operand);
  if (places[target].isReadOnly)
    return op->emitOpError("writes operand ")
           << operand << ", which is an input or a weight";
  for (unsigned other = 0; other < op->getNumOperands(); ++other)
    if (other != operand && !areApart(target, placeOf(op, other)))
      return op->emitOpError("expected operand ")
             << operand << ", which it writes, to overlap no other, found "
             << "operand " << other;
  for (size_t other = 0; other < places.size(); ++other)
    if (places[other].isWritten && other != target &&
        !areApart(target, other)) {
      places[other].isWritten = false;
      places[other].overwrittenBy = op;
    }
  places[target].isWritten = true;
  return mlir::success();
}

/// Operands are the kernel's arguments, then its results that alias none.
LogicalResult MemoryVerifier::runDispatch(plan::DispatchOp dispatch) {
  if (failed(verifyNames(dispatch, dispatch.getDims())))
    return mlir::failure();
  auto kernel = symbols.lookup<plan::KernelOp>(dispatch.getKernel());
  unsigned arguments = kernel.getNumArguments();
  for (unsigned i = 0; i < arguments; ++i)
    if (failed(read(dispatch, i)))
      return mlir::failure();
  unsigned next = arguments;
  for (unsigned i = 0; i < kernel.getNumResults(); ++i) {
    auto alias = kernel.getResultAttrOfType<mlir::IntegerAttr>(i, "plan.alias");
    if (failed(write(dispatch, alias ? alias.getInt() : next++)))
      return mlir::failure();
  }
  return mlir::success();
}

LogicalResult MemoryVerifier::runCopy(plan::CopyOp copy) {
  if (failed(read(copy, 0)))
    return mlir::failure();
  return write(copy, 1);
}

LogicalResult MemoryVerifier::runCheck(plan::CheckOp check) {
  return verifyNames(
      check, {expression(check.getLeft()), expression(check.getRight())});
}

LogicalResult MemoryVerifier::verifyOutputs() {
  unsigned output = 0;
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    if (entry.getResultAttr(i, "plan.state"))
      continue;
    std::string buffer = "output " + std::to_string(output++);
    if (llvm::none_of(places, [&](const Place &place) {
          return place.buffer == buffer && place.isWritten;
        }))
      return entry.emitOpError("expected a command that writes ") << buffer;
  }
  return mlir::success();
}

LogicalResult MemoryVerifier::verify() {
  for (auto name : entry.getDims().getAsRange<mlir::StringAttr>())
    dims.insert(name.getValue());
  arena = expression(*entry.getArena());
  if (failed(verifyNames(entry, {arena})))
    return mlir::failure();
  for (Operation &op : entry.getBody().front()) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](plan::SlotOp slot) { return addSlot(slot); })
            .Case([&](plan::DispatchOp dispatch) {
              return runDispatch(dispatch);
            })
            .Case([&](plan::CopyOp copy) { return runCopy(copy); })
            .Case([&](plan::FillOp fill) { return write(fill, 0); })
            .Case([&](plan::CheckOp check) { return runCheck(check); })
            .Default([](Operation *) { return mlir::success(); });
    if (failed(result))
      return mlir::failure();
  }
  return verifyOutputs();
}

LogicalResult dragoman::verifyMemory(plan::EntryOp entry,
                                     mlir::SymbolTable &symbols) {
  return MemoryVerifier(entry, symbols).verify();
}
