//===- Takeovers.cpp - Which kernels write where they read -*- C++ -*- --===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/fusion/Clusters.h"

#include "compiler/places/Slices.h"
#include "dialects/plan/Plan.h"
#include "dialects/upstream/KernelRoles.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::fusion;
using mlir::Operation;
using mlir::OpOperand;
using mlir::Value;

llvm::SmallVector<std::pair<Value, mlir::BlockArgument>>
fusion::carriedValues(mlir::Block &block) {
  llvm::SmallVector<std::pair<Value, mlir::BlockArgument>> carried;
  mlir::ValueRange values = block.getTerminator()->getOperands();
  if (auto loop = llvm::dyn_cast<plan::LoopOp>(block.getParentOp())) {
    for (auto [value, argument] : llvm::zip(values, loop.getRegionIterArgs()))
      carried.push_back({value, argument});
    return carried;
  }
  auto function = llvm::cast<mlir::func::FuncOp>(block.getParentOp());
  for (auto [number, value] : llvm::enumerate(values)) {
    mlir::Attribute state = function.getResultAttr(number, "plan.state");
    for (mlir::BlockArgument argument : block.getArguments())
      if (state &&
          function.getArgAttr(argument.getArgNumber(), "plan.state") == state)
        carried.push_back({value, argument});
  }
  return carried;
}

bool fusion::readsElementwise(OpOperand &use) {
  Operation *op = use.getOwner();
  // A fill reads nothing of what it writes over.
  if (auto fill = llvm::dyn_cast<mlir::linalg::FillOp>(op))
    return fill.isDpsInit(&use);
  if (op->getNumResults() != 1 ||
      kernelRoleOf(op) != xf::KernelRole::Elementwise)
    return false;
  auto generic = llvm::dyn_cast<mlir::linalg::GenericOp>(op);
  if (!generic)
    return use.get().getType() == op->getResult(0).getType();
  return generic.getMatchingIndexingMap(&use).isIdentity() &&
         generic.getIndexingMapsArray().back().isIdentity() &&
         generic.getRegion().front().getArguments().back().use_empty();
}

llvm::SmallVector<OpOperand *>
fusion::takeoverCandidates(mlir::OpResult result) {
  Operation *op = result.getOwner();
  if (std::optional<unsigned> own = mayAlias(result))
    return {&op->getOpOperand(*own)};
  llvm::SmallVector<OpOperand *> candidates;
  for (OpOperand &operand : op->getOpOperands())
    if (readsElementwise(operand))
      candidates.push_back(&operand);
  return candidates;
}

namespace {

class TakeoverFinder {
public:
  TakeoverFinder(mlir::Block &block,
                 llvm::ArrayRef<std::unique_ptr<Cluster>> clusters)
      : block(block), clusters(clusters) {
    for (const std::unique_ptr<Cluster> &cluster : clusters)
      for (Operation *op : cluster->ops)
        clusterOf[op] = cluster.get();
  }

  void run();

private:
  void followCarried(Value value, mlir::BlockArgument target);
  void takeDying(Cluster &cluster);
  llvm::SmallVector<Value> candidates(Cluster &cluster, Value result);
  bool isAligned(Cluster &cluster, Operation *op);
  bool isReadAligned(Cluster &cluster, Value value);
  bool reaches(Value value, Value target, llvm::DenseSet<Value> &seen);
  bool diesIn(Cluster &cluster, Value value);
  bool areBefore(Cluster &cluster, Value value);
  Value base(Value value);

  mlir::Block &block;
  llvm::ArrayRef<std::unique_ptr<Cluster>> clusters;
  llvm::DenseMap<Operation *, Cluster *> clusterOf;
  xf::DimAnalysis analysis;
};

} // namespace

/// The value behind views that stand outside of kernels, and behind what is
/// inserted into it.
Value TakeoverFinder::base(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool isInsert = llvm::isa<mlir::tensor::InsertSliceOp>(op);
    if (clusterOf.contains(op) || (!isView(op) && !isInsert))
      break;
    value = op->getOperand(isInsert ? 1 : 0);
  }
  return value;
}

/// True if every element of the sink that depends on the op's result depends on
/// the element at the same place in memory.
bool TakeoverFinder::isAligned(Cluster &cluster, Operation *op) {
  if (op == cluster.sink())
    return true;
  return op->getNumResults() == 1 && isReadAligned(cluster, op->getResult(0));
}

/// True if the cluster reads the value only as the same element of its sink.
bool TakeoverFinder::isReadAligned(Cluster &cluster, Value value) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    Operation *top = block.findAncestorOpInBlock(*user);
    if (isShapeArithmetic(user) || clusterOf.lookup(top) != &cluster)
      return true;
    return user == top && (isView(user) || readsElementwise(use)) &&
           isAligned(cluster, user);
  });
}

/// The values outside whose memory a result of the cluster could take over.
llvm::SmallVector<Value> TakeoverFinder::candidates(Cluster &cluster,
                                                    Value result) {
  llvm::SmallVector<Value> found;
  auto isOutside = [&](Value value) {
    return clusterOf.lookup(value.getDefiningOp()) != &cluster &&
           value.getType() == result.getType();
  };
  auto rootResult = llvm::dyn_cast<mlir::OpResult>(result);
  if (rootResult.getOwner() == cluster.root) {
    std::optional<unsigned> own = mayAlias(rootResult);
    if (own && isOutside(cluster.root->getOperand(*own)))
      found.push_back(cluster.root->getOperand(*own));
    return found;
  }
  if (result.getDefiningOp() != cluster.sink() ||
      (cluster.root && !writesOnce(cluster.root)))
    return found;
  for (Operation *op : cluster.ops)
    for (Value value : op->getOperands())
      if (isOutside(value) && !llvm::is_contained(found, value) &&
          isReadAligned(cluster, value))
        found.push_back(value);
  return found;
}

bool TakeoverFinder::reaches(Value value, Value target,
                             llvm::DenseSet<Value> &seen) {
  value = base(value);
  if (value == target)
    return true;
  Cluster *cluster =
      value.getDefiningOp() ? clusterOf.lookup(value.getDefiningOp()) : nullptr;
  if (!cluster || !seen.insert(value).second)
    return false;
  return llvm::any_of(candidates(*cluster, value), [&](Value candidate) {
    return reaches(candidate, target, seen);
  });
}

/// True if every other reader of the value has run when the cluster's kernel
/// does.
bool TakeoverFinder::areBefore(Cluster &cluster, Value value) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isShapeArithmetic(user))
      return true;
    Operation *top = block.findAncestorOpInBlock(*user);
    if (!top)
      return false;
    Cluster *reader = clusterOf.lookup(top);
    if (!reader && (isView(top) || isDenseSlice(top, analysis)))
      return areBefore(cluster, top->getResult(0));
    if (reader == &cluster)
      return true;
    return (reader ? reader->sink() : top)->isBeforeInBlock(cluster.sink());
  });
}

/// True if the value lies in memory of this block that nothing needs behind the
/// cluster.
bool TakeoverFinder::diesIn(Cluster &cluster, Value value) {
  Value whole = base(value);
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(whole);
  Operation *producer = whole.getDefiningOp();
  bool isOwn = argument ? argument.getOwner() == &block &&
                              llvm::isa<plan::LoopOp>(block.getParentOp())
                        : producer && producer->getBlock() == &block &&
                              clusterOf.contains(producer);
  return isOwn && areBefore(cluster, whole);
}

/// Lets every kernel on the way from a carried value back to `target` write
/// where it reads. That a state is not read afterwards is proved, or refused,
/// when it gets its place; a loop's value is copied if it is.
void TakeoverFinder::followCarried(Value value, mlir::BlockArgument target) {
  bool isState = !llvm::isa<plan::LoopOp>(block.getParentOp());
  for (value = base(value); value != target;) {
    Operation *producer = value.getDefiningOp();
    Cluster *cluster = producer ? clusterOf.lookup(producer) : nullptr;
    if (!cluster)
      return;
    llvm::SmallVector<Value> found = candidates(*cluster, value);
    auto taken = llvm::find_if(found, [&](Value candidate) {
      llvm::DenseSet<Value> seen;
      return reaches(candidate, target, seen) &&
             (isState || diesIn(*cluster, candidate));
    });
    if (taken == found.end())
      return;
    cluster->takesOver[value] = *taken;
    value = base(*taken);
  }
}

/// A result may stand where a value does that is read for the last time.
void TakeoverFinder::takeDying(Cluster &cluster) {
  if (!cluster.root)
    return;
  for (mlir::OpResult result : cluster.root->getResults()) {
    if (result.use_empty() || cluster.takesOver.contains(result))
      continue;
    for (Value value : candidates(cluster, result)) {
      bool isTaken = llvm::any_of(cluster.takesOver, [&](auto &other) {
        return base(other.second) == base(value);
      });
      if (base(value).getDefiningOp() && !isTaken && diesIn(cluster, value))
        cluster.takesOver[result] = value;
    }
  }
}

void TakeoverFinder::run() {
  for (auto [value, argument] : carriedValues(block))
    followCarried(value, argument);
  for (const std::unique_ptr<Cluster> &cluster : clusters)
    takeDying(*cluster);
}

void fusion::findTakeovers(mlir::Block &block,
                           llvm::ArrayRef<std::unique_ptr<Cluster>> clusters) {
  TakeoverFinder(block, clusters).run();
}
