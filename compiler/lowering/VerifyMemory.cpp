//===- VerifyMemory.cpp - No command reads what another overwrote ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/VerifyMemory.h"

#include "compiler/places/Slices.h"
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
  static constexpr size_t none = SIZE_MAX;

  std::string buffer; ///< space, and which of it
  DimExpr offset, bytes;
  size_t whole = none;       ///< the place that a plan.part is a part of
  DimExpr start;             ///< of a part: inside the whole
  std::vector<size_t> parts; ///< places
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
  LogicalResult addPart(plan::PartOp part);
  void addPlace(Value slot, Place place);
  LogicalResult runBlock(mlir::Block &block);
  LogicalResult runLoop(plan::LoopOp loop);
  LogicalResult runDispatch(plan::DispatchOp dispatch);
  LogicalResult runCopy(plan::CopyOp copy);
  LogicalResult runCheck(plan::CheckOp check);
  LogicalResult verifyOutputs();

  LogicalResult read(Operation *op, unsigned operand);
  /// After all reads of `op`.
  LogicalResult write(Operation *op, unsigned operand);
  bool areApart(size_t a, size_t b);
  bool isWhole(size_t place);
  /// Nothing is known of places that change with the iteration.
  void startIteration(const std::string &dim);
  size_t placeOf(Operation *op, unsigned operand) {
    return numbers.lookup(op->getOperand(operand));
  }

  plan::EntryOp entry;
  mlir::SymbolTable &symbols;
  llvm::StringSet<> dims;
  DimExpr arena;
  std::vector<Place> places;
  llvm::DenseMap<Value, size_t> numbers;
  std::vector<size_t> wholes; ///< the places that are no parts
  /// By buffer, offset, bytes and whole.
  std::map<std::tuple<std::string, std::string, std::string, size_t>, size_t>
      numberOf;
  llvm::DenseMap<std::pair<size_t, size_t>, bool> apart;
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
  addPlace(slot.getSlot(), std::move(place));
  return mlir::success();
}

void MemoryVerifier::addPlace(Value slot, Place place) {
  auto [known, isNew] = numberOf.insert(
      {{place.buffer, place.offset.str(), place.bytes.str(), place.whole},
       places.size()});
  numbers[slot] = known->second;
  if (!isNew)
    return;
  bool isPart = place.whole != Place::none;
  (isPart ? places[place.whole].parts : wholes).push_back(known->second);
  places.push_back(std::move(place));
}

LogicalResult MemoryVerifier::addPart(plan::PartOp part) {
  DimExpr offset = expression(part.getOffset()),
          bytes = expression(part.getBytes());
  if (failed(verifyNames(part, {offset, bytes})))
    return mlir::failure();
  size_t whole = numbers.lookup(part.getWhole());
  DimExpr end = offset + bytes, size = places[whole].bytes;
  auto isNeverBelow = [&](const DimExpr &value) {
    if (value.provablyNonNegative())
      return true;
    std::optional<DimExpr> most = maximumOverLoops(DimExpr(0) - value, part);
    return most && (DimExpr(0) - *most).provablyNonNegative();
  };
  if (!isNeverBelow(offset) || !isNeverBelow(size - end))
    return part.emitOpError("expected a part inside '")
           << size.str() << "' bytes, found '" << bytes.str() << "' bytes at '"
           << offset.str() << "'";
  Place place = places[whole];
  place.offset += offset;
  place.start = offset;
  place.bytes = bytes;
  place.end = place.offset + bytes;
  place.whole = whole;
  place.parts.clear();
  place.isWritten = false;
  place.overwrittenBy = nullptr;
  addPlace(part.getSlot(), std::move(place));
  return mlir::success();
}

/// Parts of two places are apart if those are; the other comparisons are few.
bool MemoryVerifier::areApart(size_t a, size_t b) {
  if (a == b)
    return false;
  if (a > b)
    std::swap(a, b);
  const Place &left = places[a], &right = places[b];
  if (left.buffer != right.buffer)
    return true;
  auto known = apart.find({a, b});
  if (known != apart.end())
    return known->second;
  size_t wholeOfA = left.whole == Place::none ? a : left.whole;
  size_t wholeOfB = right.whole == Place::none ? b : right.whole;
  auto endsBefore = [&](const Place &first, const Place &second) {
    if (wholeOfA == wholeOfB)
      return (second.start - first.start - first.bytes).provablyNonNegative();
    return (second.offset - first.end).provablyNonNegative() ||
           (second.offset - first.offset - first.bytes).provablyNonNegative();
  };
  bool isApart = false;
  if (wholeOfA != wholeOfB && (wholeOfA != a || wholeOfB != b))
    isApart = areApart(wholeOfA, wholeOfB);
  if (!isApart)
    isApart = endsBefore(left, right) || endsBefore(right, left);
  return apart[{a, b}] = isApart;
}

/// True if the place was written as one, as a part of one, or part by part.
bool MemoryVerifier::isWhole(size_t number) {
  const Place &place = places[number];
  if (place.isWritten)
    return true;
  bool isPart = place.whole != Place::none;
  if (isPart && places[place.whole].isWritten)
    return true;
  size_t whole = isPart ? place.whole : number;
  DimExpr end = place.offset + place.bytes;
  auto goesOn = [&](const Place &part, const DimExpr &at) {
    if (part.whole != whole || !part.isWritten)
      return false;
    DimExpr left = part.offset + part.bytes - at;
    return left != DimExpr(0) && left.provablyNonNegative() &&
           (at - part.offset).provablyNonNegative();
  };
  DimExpr at = place.offset;
  for (size_t steps = 0; !(at - end).provablyNonNegative(); ++steps) {
    if (steps > places.size())
      return false;
    auto next = llvm::find_if(
        places, [&](const Place &part) { return goesOn(part, at); });
    if (next == places.end())
      return false;
    at = next->offset + next->bytes;
  }
  return true;
}

LogicalResult MemoryVerifier::read(Operation *op, unsigned operand) {
  const Place &place = places[placeOf(op, operand)];
  if (isWhole(placeOf(op, operand)))
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
  // A whole that was written stays so when a part of it is written again.
  auto overwrite = [&](size_t other) {
    if (!places[other].isWritten || other == target ||
        other == places[target].whole || areApart(target, other))
      return;
    places[other].isWritten = false;
    places[other].overwrittenBy = op;
  };
  bool isPart = places[target].whole != Place::none;
  size_t own = isPart ? places[target].whole : target;
  for (size_t whole : wholes) {
    if (whole != own && areApart(own, whole))
      continue;
    overwrite(whole);
    for (size_t part : places[whole].parts)
      overwrite(part);
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
    bool isWritten = false;
    for (size_t place = 0; place < places.size(); ++place)
      isWritten |= places[place].buffer == buffer &&
                   places[place].whole == Place::none && isWhole(place);
    if (!isWritten)
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
  if (failed(runBlock(entry.getBody().front())))
    return mlir::failure();
  return verifyOutputs();
}

void MemoryVerifier::startIteration(const std::string &dim) {
  for (Place &place : places)
    if (llvm::is_contained(place.offset.names(), dim) ||
        llvm::is_contained(place.bytes.names(), dim)) {
      place.isWritten = false;
      place.overwrittenBy = nullptr;
    }
}

/// What a second iteration finds, every later one finds as well. Behind the
/// loop, which may run no iteration, a place is written if it was before.
LogicalResult MemoryVerifier::runLoop(plan::LoopOp loop) {
  std::string dim = loop.getDim().str();
  if (failed(verifyNames(loop, {expression(loop.getTrips())})))
    return mlir::failure();
  std::vector<Place> before = places;
  dims.insert(dim);
  for (int iteration = 0; iteration < 2; ++iteration) {
    startIteration(dim);
    if (failed(runBlock(loop.getBody().front())))
      return mlir::failure();
  }
  startIteration(dim);
  dims.erase(dim);
  for (size_t i = 0; i < places.size(); ++i)
    places[i].isWritten &= i < before.size() && before[i].isWritten;
  return mlir::success();
}

LogicalResult MemoryVerifier::runBlock(mlir::Block &block) {
  for (Operation &op : block) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](plan::SlotOp slot) { return addSlot(slot); })
            .Case([&](plan::PartOp part) { return addPart(part); })
            .Case([&](plan::LoopOp inner) { return runLoop(inner); })
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
  return mlir::success();
}

LogicalResult dragoman::verifyMemory(plan::EntryOp entry,
                                     mlir::SymbolTable &symbols) {
  return MemoryVerifier(entry, symbols).verify();
}
