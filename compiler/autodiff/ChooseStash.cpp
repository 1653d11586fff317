//===- ChooseStash.cpp - What the backward repeats, what is kept ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/autodiff/Passes.h"
#include "dialects/upstream/KernelRoles.h"
#include "dialects/xf/DimAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <map>

namespace dragoman::autodiff {
#define GEN_PASS_DEF_CHOOSESTASHPASS
#include "compiler/autodiff/Passes.h.inc"
} // namespace dragoman::autodiff

using namespace dragoman;
using mlir::Operation;
using mlir::OpOperand;
using mlir::Value;

namespace {

/// Work of an element that costs nothing beside reading it.
constexpr int64_t freeCost = 8;

/// When the values of a block are kept, for one choice of sizes. Views are
/// their source, and elementwise work in front of one reader is done inside it.
class Lifetimes {
public:
  using Sizes = llvm::DenseMap<Value, int64_t>;

  /// `sizes` are those of measureSizes.
  Lifetimes(mlir::Block &block, const Sizes &sizes);
  /// The bytes of every value of the block.
  static Sizes measureSizes(mlir::Block &block,
                            const std::map<std::string, int64_t> &dims);

  int64_t bytesOf(Value value) const { return bytes.lookup(value); }
  /// The last op that reads `value`, or its own place.
  int64_t lastUse(Value value) const { return last.lookup(value); }
  int64_t place(Operation *op) const { return places.lookup(op); }
  /// Where the work of `op` is done: inside its reader or at its own place.
  int64_t effectivePlace(Operation *op) const { return effective.lookup(op); }
  /// The value whose bytes `value` is.
  static Value source(Value value);

  int64_t peak = 0, peakPlace = 0;

private:
  void findPeak(mlir::Block &block, const Sizes &sizes);
  static bool isPulled(Operation *op);

  llvm::DenseMap<Value, int64_t> bytes, last;
  llvm::DenseMap<Operation *, int64_t> places, effective;
};

/// A value and the readers behind the peak that get a copy of their own.
struct Candidate {
  Operation *op = nullptr;
  Operation *firstReader = nullptr;
  int64_t saved = 0; ///< bytes at the peak
  bool isFree = false;
};

class StashChooser {
public:
  StashChooser(mlir::func::FuncOp function,
               const std::map<std::string, int64_t> &dims,
               std::optional<int64_t> bound)
      : block(function.getBody().front()),
        sizes(Lifetimes::measureSizes(block, dims)), bound(bound) {}

  void run();

private:
  std::optional<Candidate> consider(const Lifetimes &lifetimes, Operation *op);
  bool apply(const Candidate &candidate, const Lifetimes &before);

  mlir::Block &block;
  Lifetimes::Sizes sizes;
  std::optional<int64_t> bound;
  llvm::DenseSet<Operation *> rejected;
};

} // namespace

Value Lifetimes::source(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op) && !llvm::isa<mlir::tensor::ExtractSliceOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// True if the op's only reader computes it element by element.
bool Lifetimes::isPulled(Operation *op) {
  if (op->getNumResults() != 1 || !op->hasOneUse() ||
      kernelRoleOf(op) != xf::KernelRole::Elementwise)
    return false;
  std::optional<xf::KernelRole> role = kernelRoleOf(*op->user_begin());
  return role == xf::KernelRole::Elementwise || role == xf::KernelRole::Rowwise;
}

Lifetimes::Sizes
Lifetimes::measureSizes(mlir::Block &block,
                        const std::map<std::string, int64_t> &dims) {
  Sizes sizes;
  xf::DimAnalysis analysis;
  for (Operation &op : block)
    for (Value result : op.getResults()) {
      auto type = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
      if (!type || !kernelRoleOf(&op))
        continue;
      int64_t size = (type.getElementTypeBitWidth() + 7) / 8;
      for (const DimExpr &dim : analysis.dimsOf(result)) {
        std::map<std::string, int64_t> known = dims;
        for (const std::string &name : dim.names())
          known.try_emplace(name, 64);
        Result<int64_t> extent = dim.evaluate(known);
        size *= extent ? *extent : 64;
      }
      sizes[result] = size;
    }
  return sizes;
}

Lifetimes::Lifetimes(mlir::Block &block, const Sizes &sizes) {
  int64_t count = 0;
  for (Operation &op : block)
    places[&op] = count++;
  for (Operation &op : llvm::reverse(block)) {
    int64_t at = places[&op];
    if (isPulled(&op)) {
      Operation *reader = block.findAncestorOpInBlock(**op.user_begin());
      at = effective.lookup(reader);
    }
    effective[&op] = at;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        int64_t &end = last[source(operand)];
        end = std::max(end, at);
      }
    });
  }
  findPeak(block, sizes);
}

void Lifetimes::findPeak(mlir::Block &block, const Sizes &sizes) {
  std::vector<int64_t> change(places.size() + 1);
  for (Operation &op : block) {
    if (isPulled(&op))
      continue;
    for (Value result : op.getResults()) {
      int64_t size = sizes.lookup(result);
      if (size == 0 || source(result) != result)
        continue;
      bytes[result] = size;
      change[places[&op]] += size;
      change[std::max(places[&op], last.lookup(result)) + 1] -= size;
    }
  }
  int64_t now = 0;
  for (size_t at = 0; at < places.size(); ++at) {
    now += change[at];
    if (now > peak) {
      peak = now;
      peakPlace = at;
    }
  }
}

/// Scalar work of an element.
static int64_t costOf(Operation *op) {
  if (auto linalg = llvm::dyn_cast<mlir::linalg::LinalgOp>(op))
    return llvm::range_size(*linalg.getBlock()) - 1;
  return op->hasTrait<mlir::OpTrait::Elementwise>() ? 1 : 2 * freeCost;
}

/// The op's result as something to repeat behind the peak.
std::optional<Candidate> StashChooser::consider(const Lifetimes &lifetimes,
                                                Operation *op) {
  int64_t peak = lifetimes.peakPlace;
  if (rejected.contains(op) || op->getNumResults() != 1 ||
      !mlir::isMemoryEffectFree(op) ||
      kernelRoleOf(op) != xf::KernelRole::Elementwise)
    return std::nullopt;
  Value result = op->getResult(0);
  int64_t size = lifetimes.bytesOf(result);
  if (size == 0 || lifetimes.place(op) >= peak ||
      lifetimes.lastUse(result) <= peak)
    return std::nullopt;
  Candidate candidate;
  candidate.op = op;
  candidate.saved = size;
  for (Operation *user : result.getUsers()) {
    Operation *reader = block.findAncestorOpInBlock(*user);
    if (lifetimes.place(reader) <= peak) {
      // A view, or work done inside a later reader, would keep it.
      if (lifetimes.effectivePlace(reader) > peak || isView(reader) ||
          llvm::isa<mlir::tensor::ExtractSliceOp>(reader))
        return std::nullopt;
    } else if (!candidate.firstReader ||
               reader->isBeforeInBlock(candidate.firstReader)) {
      candidate.firstReader = reader;
    }
  }
  if (!candidate.firstReader)
    return std::nullopt;
  candidate.isFree = costOf(op) <= freeCost;
  for (Value operand : op->getOperands()) {
    Value kept = Lifetimes::source(operand);
    if (lifetimes.lastUse(kept) >= lifetimes.place(candidate.firstReader))
      continue;
    candidate.isFree &= lifetimes.bytesOf(kept) == 0;
    if (lifetimes.lastUse(kept) <= peak)
      candidate.saved -= lifetimes.bytesOf(kept);
  }
  if (candidate.saved <= 0 || (!bound && !candidate.isFree))
    return std::nullopt;
  return candidate;
}

/// Repeats the op in front of its first reader behind the peak; takes it back
/// if nothing is gained.
bool StashChooser::apply(const Candidate &candidate, const Lifetimes &before) {
  mlir::OpBuilder builder(candidate.firstReader);
  Operation *copy = builder.clone(*candidate.op);
  // Equal ops become one again, unless they differ.
  copy->setAttr("xf.recompute", builder.getUnitAttr());
  Value old = candidate.op->getResult(0), fresh = copy->getResult(0);
  sizes[fresh] = sizes.lookup(old);
  old.replaceUsesWithIf(fresh, [&](OpOperand &use) {
    Operation *reader = block.findAncestorOpInBlock(*use.getOwner());
    return reader != copy && !reader->isBeforeInBlock(candidate.firstReader);
  });
  Lifetimes after(block, sizes);
  if (after.peak <= before.peak)
    return true;
  fresh.replaceAllUsesWith(old);
  sizes.erase(fresh);
  copy->erase();
  return false;
}

void StashChooser::run() {
  for (;;) {
    Lifetimes lifetimes(block, sizes);
    if (bound && lifetimes.peak <= *bound)
      return;
    std::optional<Candidate> best;
    for (Operation &op : block) {
      std::optional<Candidate> candidate = consider(lifetimes, &op);
      if (candidate &&
          (!best || std::pair(candidate->isFree, candidate->saved) >
                        std::pair(best->isFree, best->saved)))
        best = candidate;
    }
    if (!best)
      return;
    rejected.insert(best->op); // once, whether it helps or not
    apply(*best, lifetimes);
  }
}

namespace {

struct ChooseStashPass : autodiff::impl::ChooseStashPassBase<ChooseStashPass> {
  using ChooseStashPassBase::ChooseStashPassBase;

  /// The sizes given as "name=size".
  mlir::FailureOr<std::map<std::string, int64_t>> readDims() {
    std::map<std::string, int64_t> sizes;
    for (const std::string &text : dims) {
      auto [name, size] = llvm::StringRef(text).split('=');
      int64_t value;
      if (name.empty() || size.getAsInteger(10, value))
        return getOperation().emitError("expected a size name=number in dims, "
                                        "found '")
               << text << "'";
      sizes[name.str()] = value;
    }
    return sizes;
  }

  void runOnOperation() override {
    mlir::FailureOr<std::map<std::string, int64_t>> sizes = readDims();
    if (failed(sizes))
      return signalPassFailure();
    std::optional<int64_t> bound;
    if (!memory.empty()) {
      Result<DimExpr> expr = DimExpr::parse(memory);
      Result<int64_t> bytes =
          expr ? expr->evaluate(*sizes) : Result<int64_t>(expr.status());
      if (!bytes) {
        getOperation().emitError("expected bytes as an expression in dims, "
                                 "found '")
            << memory << "': " << bytes.status().message();
        return signalPassFailure();
      }
      bound = *bytes;
    }
    for (llvm::StringRef name : {"backward", "step"})
      if (auto function = getOperation().lookupSymbol<mlir::func::FuncOp>(name))
        StashChooser(function, *sizes, bound).run();
  }
};

} // namespace
