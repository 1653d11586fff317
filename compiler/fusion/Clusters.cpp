//===- Clusters.cpp - Which ops of an entry become one kernel -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/fusion/Clusters.h"

#include "compiler/places/Slices.h"
#include "dialects/upstream/KernelRoles.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace dragoman;
using namespace dragoman::fusion;
using mlir::Operation;
using mlir::OpOperand;
using mlir::Value;
using xf::KernelRole;

namespace {

class Clusterer {
public:
  explicit Clusterer(mlir::Block &block) : block(block) {}
  std::vector<std::unique_ptr<Cluster>> run();

private:
  void findUpdates();
  bool staysOutside(Operation *op);
  void assign(Operation *op);
  Cluster *create(Operation *op, Operation *root);
  Cluster *onlyReader(Operation *op);
  bool mayPull(Operation *op, const Cluster &cluster);
  bool absorbedByProducer(Operation *view);
  void moveBehindContractions();
  bool isEpilogueOp(Operation *op, const Cluster &cluster,
                    Operation *contraction);
  Cluster *contractionBefore(const Cluster &cluster);

  mlir::Block &block;
  std::vector<std::unique_ptr<Cluster>> clusters;
  llvm::DenseMap<Operation *, Cluster *> clusterOf;
  /// Ops that update a state or a loop's value by their own account.
  llvm::DenseSet<Operation *> updates;
  /// Views that belong to the op in front of them.
  llvm::DenseMap<Operation *, Operation *> viewBehind;
  llvm::DenseMap<Operation *, unsigned> order;
  xf::DimAnalysis analysis;
};

} // namespace

/// Marks the ops on the way from an updated value back to what it was: each is
/// a kernel of its own.
void Clusterer::findUpdates() {
  llvm::DenseSet<Value> seen;
  std::function<bool(Value, Value)> follow = [&](Value value, Value target) {
    while (value.getDefiningOp() && isView(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    if (value == target)
      return true;
    auto result = llvm::dyn_cast<mlir::OpResult>(value);
    if (!result || value.getParentBlock() != &block ||
        !seen.insert(value).second)
      return false;
    for (OpOperand *operand : takeoverCandidates(result)) {
      if (!follow(operand->get(), target))
        continue;
      if (mayAlias(result))
        updates.insert(result.getOwner());
      return true;
    }
    return false;
  };
  for (auto [value, argument] : carriedValues(block)) {
    seen.clear();
    follow(value, argument);
  }
}

Cluster *Clusterer::create(Operation *op, Operation *root) {
  clusters.push_back(std::make_unique<Cluster>());
  Cluster *cluster = clusters.back().get();
  cluster->root = root;
  cluster->ops.push_back(op);
  clusterOf[op] = cluster;
  return cluster;
}

/// The cluster that holds every reader of the op's results, or null. Sizes are
/// found without the op, so tensor.dim does not count.
Cluster *Clusterer::onlyReader(Operation *op) {
  Cluster *reader = nullptr;
  for (Operation *user : op->getUsers()) {
    if (isShapeArithmetic(user))
      continue;
    Operation *top = block.findAncestorOpInBlock(*user);
    Cluster *cluster = clusterOf.lookup(top);
    if (!cluster || (reader && reader != cluster))
      return nullptr;
    reader = cluster;
  }
  return reader;
}

namespace {

/// What a root reads without a pass of its own.
enum class Pull {
  Nothing,
  Views,  ///< the same bytes by another shape
  Slices, ///< and strided parts of tensors
  Any,    ///< and whatever computes element by element
};

} // namespace

static Pull pullKind(Operation *op) {
  if (isView(op))
    return Pull::Views;
  return llvm::isa<mlir::tensor::ExtractSliceOp>(op) ? Pull::Slices : Pull::Any;
}

static Pull allowedPull(const Cluster &cluster) {
  if (!cluster.root)
    return Pull::Any;
  if (cluster.isMovingUpdate)
    return Pull::Slices;
  switch (*kernelRoleOf(cluster.root)) {
  case KernelRole::AttentionLike:
    return Pull::Slices;
  case KernelRole::Rowwise:
  case KernelRole::Reduction:
    return Pull::Any;
  case KernelRole::Contraction:
    return Pull::Views;
  default:
    return Pull::Nothing;
  }
}

/// True if the root takes pulled values as operand `number`: the rows of a
/// rowwise op, all that a reduction reads, q, k, v and what lies like them,
/// what is appended to a state, the left operand of a contraction.
static bool isPulledOperand(const Cluster &cluster, unsigned number) {
  if (cluster.isMovingUpdate)
    return number == *mayAlias(cluster.root->getOpResult(0)) + 1u;
  switch (*kernelRoleOf(cluster.root)) {
  case KernelRole::AttentionLike:
    return number <
           llvm::cast<xf::KernelOpInterface>(cluster.root).viewedOperands();
  case KernelRole::Reduction:
    return true;
  case KernelRole::Rowwise:
    return cluster.root->getOperand(number).getType() ==
           cluster.root->getOperand(0).getType();
  default:
    return number == 0;
  }
}

/// True if the reader takes a view or slice as it lies.
static bool readsInPlace(Operation *op, OpOperand &use) {
  std::optional<KernelRole> role = kernelRoleOf(use.getOwner());
  if (!role)
    return false;
  if (!isRootRole(*role))
    return true;
  Cluster cluster;
  cluster.root = use.getOwner();
  return pullKind(op) <= allowedPull(cluster) &&
         isPulledOperand(cluster, use.getOperandNumber());
}

void fusion::splitReads(mlir::Block &block) {
  xf::DimAnalysis analysis;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    std::optional<KernelRole> role = kernelRoleOf(&op);
    if (!role || isRootRole(*role) || pullKind(&op) == Pull::Any ||
        isDenseSlice(&op, analysis))
      continue;
    llvm::DenseMap<Operation *, Value> own; // by reader
    for (OpOperand &use : llvm::make_early_inc_range(op.getUses())) {
      Value &value = own[use.getOwner()];
      if (!value && llvm::all_equal(op.getUsers()))
        break;
      if (!value && readsInPlace(&op, use)) {
        mlir::OpBuilder builder(&op);
        builder.setInsertionPointAfter(&op);
        value = builder.clone(op)->getResult(0);
      }
      if (value)
        use.set(value);
    }
  }
}

/// True if pulling the op at `use` computes its elements more than once, and
/// they cost more than about 8 ops each.
static bool repeatsWork(Operation *op, const OpOperand &use) {
  auto reader = llvm::dyn_cast<mlir::linalg::GenericOp>(use.getOwner());
  if (!reader || reader.getMatchingIndexingMap(const_cast<OpOperand *>(&use))
                     .isPermutation())
    return false;
  auto generic = llvm::dyn_cast<mlir::linalg::GenericOp>(op);
  if (!generic)
    return kernelRoleOf(op) == KernelRole::Elementwise;
  mlir::Block &body = generic.getRegion().front();
  return body.getOperations().size() > 8 ||
         llvm::any_of(body, [](Operation &inner) {
           return llvm::isa<mlir::math::MathDialect>(inner.getDialect());
         });
}

bool Clusterer::mayPull(Operation *op, const Cluster &cluster) {
  if (pullKind(op) > allowedPull(cluster))
    return false;
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    if (isShapeArithmetic(use.getOwner()))
      return true;
    // Values captured by a root's regions are read as tensors.
    if (cluster.root && cluster.root->isProperAncestor(use.getOwner()))
      return false;
    if (use.getOwner() == cluster.root &&
        !isPulledOperand(cluster, use.getOperandNumber()))
      return false;
    return !repeatsWork(op, use);
  });
}

/// A view right behind an attention-like op is part of how it writes.
bool Clusterer::absorbedByProducer(Operation *view) {
  if (!isView(view) || !view->getOperand(0).hasOneUse())
    return false;
  Operation *producer = view->getOperand(0).getDefiningOp();
  std::optional<KernelRole> role =
      producer ? kernelRoleOf(producer) : std::nullopt;
  if (role != KernelRole::AttentionLike)
    return false;
  return llvm::all_of(producer->getResults(), [&](Value result) {
    return result == view->getOperand(0) || result.use_empty();
  });
}

/// True if nothing but a size of the op's results is asked for.
static bool isDead(Operation *op) {
  return mlir::isPure(op) && llvm::all_of(op->getUsers(), isShapeArithmetic);
}

/// The value behind a chain of views.
static Value viewed(Value value) {
  while (value.getDefiningOp() && isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// True for what costs nothing in an entry: dense slices, the joining of
/// vectors that kernels compute, and what goes into a part of a loop's value
/// that nothing reads afterwards.
bool Clusterer::staysOutside(Operation *op) {
  if (isDenseSlice(op, analysis))
    return true;
  auto isComputed = [&](Value value) {
    Operation *producer = viewed(value).getDefiningOp();
    if (!producer || producer->getBlock() != &block)
      return false;
    return llvm::isa<mlir::LoopLikeOpInterface>(producer) ||
           (kernelRoleOf(producer) && !isDenseSlice(producer, analysis));
  };
  if (isJoin(op))
    return llvm::all_of(op->getOperands(), isComputed);
  auto insert = llvm::dyn_cast<mlir::tensor::InsertSliceOp>(op);
  if (!insert || !llvm::isa<mlir::LoopLikeOpInterface>(block.getParentOp()) ||
      !denseSliceStart(op, analysis))
    return false;
  Value dest = viewed(insert.getDest());
  Operation *producer = dest.getDefiningOp();
  bool isLoops = producer
                     ? producer->getBlock() == &block &&
                           llvm::isa<mlir::tensor::InsertSliceOp>(producer) &&
                           staysOutside(producer)
                     : dest.getParentBlock() == &block;
  return isLoops && llvm::all_of(dest.getUsers(), [&](Operation *user) {
           Operation *top = block.findAncestorOpInBlock(*user);
           return top == op || (top && top->isBeforeInBlock(op));
         });
}

void Clusterer::assign(Operation *op) {
  std::optional<KernelRole> role = kernelRoleOf(op);
  if (!role || isDead(op) || staysOutside(op))
    return;
  bool isMovingUpdate = updates.contains(op) && role == KernelRole::Movement;
  if (isMovingUpdate || isRootRole(*role)) {
    Cluster *cluster = create(op, op);
    cluster->isMovingUpdate = isMovingUpdate;
    if (Operation *view = viewBehind.lookup(op)) {
      cluster->ops.push_back(view);
      clusterOf[view] = cluster;
    }
    return;
  }
  if (absorbedByProducer(op)) {
    viewBehind[op->getOperand(0).getDefiningOp()] = op;
    return;
  }
  Cluster *reader = onlyReader(op);
  if (reader && mayPull(op, *reader)) {
    reader->ops.push_back(op);
    clusterOf[op] = reader;
    return;
  }
  if (!isView(op))
    create(op, nullptr);
}

/// True if the map gives the same element, or one that only the last axis
/// chooses.
static bool followsColumns(mlir::AffineMap map) {
  mlir::AffineExpr last =
      mlir::getAffineDimExpr(map.getNumDims() - 1, map.getContext());
  return llvm::all_of(map.getResults(), [&](mlir::AffineExpr expr) {
    return expr == last || llvm::isa<mlir::AffineConstantExpr>(expr);
  });
}

/// True for a view that divides or joins rows and leaves the columns alone.
static bool reshapesRows(Operation *op) {
  if (auto expand = llvm::dyn_cast<mlir::tensor::ExpandShapeOp>(op))
    return expand.getReassociationIndices().back().size() == 1;
  auto collapse = llvm::dyn_cast<mlir::tensor::CollapseShapeOp>(op);
  return collapse && collapse.getReassociationIndices().back().size() == 1;
}

/// True if element (i.., j) of the op's result needs element (i.., j) of what
/// the contraction and the cluster's other ops compute, and of other tensors at
/// most element j. A view of the contraction's rows may stand in front.
bool Clusterer::isEpilogueOp(Operation *op, const Cluster &cluster,
                             Operation *contraction) {
  mlir::Type type = cluster.sink()->getResult(0).getType();
  if (reshapesRows(op))
    return op->getOperand(0).getDefiningOp() == contraction &&
           op->getResult(0).getType() == type;
  if (kernelRoleOf(op) != KernelRole::Elementwise || op->getNumResults() != 1 ||
      op->getResult(0).getType() != type)
    return false;
  auto isComputed = [&](Value value) {
    Operation *producer = value.getDefiningOp();
    return producer &&
           (producer == contraction || clusterOf.lookup(producer) == &cluster);
  };
  auto generic = llvm::dyn_cast<mlir::linalg::GenericOp>(op);
  if (!generic)
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return operand.getType() == type || !isComputed(operand);
    });
  if (!generic.getIndexingMapsArray().back().isIdentity() ||
      !generic.getRegion().front().getArguments().back().use_empty())
    return false;
  return llvm::all_of(generic.getDpsInputOperands(), [&](OpOperand *input) {
    mlir::AffineMap map = generic.getMatchingIndexingMap(input);
    return map.isIdentity() ||
           (!isComputed(input->get()) && followsColumns(map));
  });
}

/// The last contraction whose result only `cluster` reads, as a value of the
/// sink's shape.
Cluster *Clusterer::contractionBefore(const Cluster &cluster) {
  Cluster *best = nullptr;
  for (Operation *op : cluster.ops)
    for (Value operand : op->getOperands()) {
      Cluster *producer = operand.getDefiningOp()
                              ? clusterOf.lookup(operand.getDefiningOp())
                              : nullptr;
      if (!producer || producer == &cluster || !producer->root ||
          producer->isMovingUpdate ||
          kernelRoleOf(producer->root) != KernelRole::Contraction ||
          operand.getDefiningOp() != producer->root ||
          producer->sink() != producer->root ||
          onlyReader(producer->root) != &cluster ||
          !llvm::all_of(cluster.ops, [&](Operation *other) {
            return isEpilogueOp(other, cluster, producer->root);
          }))
        continue;
      if (!best || order[best->root] < order[producer->root])
        best = producer;
    }
  return best;
}

/// Puts elementwise clusters behind the contraction that they read.
void Clusterer::moveBehindContractions() {
  for (std::unique_ptr<Cluster> &cluster : clusters) {
    if (cluster->root)
      continue;
    Cluster *contraction = contractionBefore(*cluster);
    if (!contraction)
      continue;
    for (Operation *op : cluster->ops)
      clusterOf[op] = contraction;
    contraction->ops.append(cluster->ops);
    cluster.reset();
    llvm::sort(contraction->ops,
               [&](Operation *a, Operation *b) { return order[a] < order[b]; });
  }
  llvm::erase_if(clusters, [](auto &cluster) { return !cluster; });
}

std::vector<std::unique_ptr<Cluster>> Clusterer::run() {
  findUpdates();
  for (auto [i, op] : llvm::enumerate(block))
    order[&op] = i;
  for (Operation &op : llvm::reverse(block.without_terminator()))
    assign(&op);
  auto before = [&](Operation *a, Operation *b) { return order[a] < order[b]; };
  for (std::unique_ptr<Cluster> &cluster : clusters)
    llvm::sort(cluster->ops, before);
  // In program order, so that a chain of sums ends behind its last contraction.
  auto inOrder = [&](auto &a, auto &b) { return before(a->sink(), b->sink()); };
  llvm::sort(clusters, inOrder);
  moveBehindContractions();
  llvm::sort(clusters, inOrder);
  return std::move(clusters);
}

std::vector<std::unique_ptr<Cluster>> fusion::clusterOps(mlir::Block &block) {
  return Clusterer(block).run();
}
