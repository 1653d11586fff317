//===- KernelOutliner.cpp - Clusters of ops become kernels ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/fusion/KernelOutliner.h"

#include "dialects/upstream/KernelRoles.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSet.h"

using namespace dragoman;
using namespace dragoman::fusion;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Value;

KernelOutliner::KernelOutliner(mlir::func::FuncOp function,
                               mlir::SymbolTable &symbols,
                               llvm::StringSet<> dims)
    : function(function), symbols(symbols), dims(std::move(dims)) {}

/// True for ops that a kernel repeats instead of reading their results.
static bool isRepeated(Operation *op) {
  return op && !kernelRoleOf(op) && !llvm::isa<plan::LoadOp, plan::LoopOp>(op);
}

/// The operands of `op` and what its regions capture.
static llvm::SetVector<Value> valuesRead(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  mlir::getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// True if the expression holds the dimension of a loop around the cluster.
bool KernelOutliner::dependsOnLoops(const DimExpr &expr) {
  std::vector<std::string> names = expr.names();
  for (auto loop = cluster->sink()->getParentOfType<plan::LoopOp>(); loop;
       loop = loop->getParentOfType<plan::LoopOp>())
    if (llvm::is_contained(names, loop.getDim().str()))
      return true;
  return false;
}

/// True for values that a kernel finds as the size of a tensor: tensor.dim, and
/// what counts in the iterations of a loop.
bool KernelOutliner::isSize(Value value) {
  if (value.getDefiningOp<mlir::tensor::DimOp>())
    return true;
  if (!value.getType().isIndex())
    return false;
  std::optional<DimExpr> size = analysis.scalar(value);
  return size && dependsOnLoops(*size);
}

/// Finds the tensors that `op` and the repeated ops in front of it read. Sizes
/// need no argument of their own: they are found at the others.
void KernelOutliner::collectArguments(Operation *op) {
  for (Value value : valuesRead(op)) {
    Operation *producer = value.getDefiningOp();
    if (inside.contains(producer) || isSize(value))
      continue;
    if (isRepeated(producer)) {
      collectArguments(producer);
      continue;
    }
    arguments.insert(value);
  }
}

Value KernelOutliner::sizeInKernel(mlir::OpBuilder &builder, Value value) {
  DimExpr size = *analysis.scalar(value);
  if (std::optional<int64_t> constant = size.constant())
    return mlir::arith::ConstantIndexOp::create(builder, value.getLoc(),
                                                *constant);
  auto found = sizes.find(size);
  assert(found != sizes.end() && "every size came with an argument");
  return found->second;
}

/// The value inside the kernel, repeating the ops that compute it.
Value KernelOutliner::materialise(mlir::OpBuilder &builder, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *producer = value.getDefiningOp();
  Value inner;
  if (isSize(value)) {
    inner = sizeInKernel(builder, value);
  } else {
    for (Value operand : valuesRead(producer))
      materialise(builder, operand);
    Operation *clone = builder.clone(*producer, mapping);
    inner =
        clone->getResult(llvm::cast<mlir::OpResult>(value).getResultNumber());
  }
  mapping.map(value, inner);
  return inner;
}

/// The axis in the kernel's dimensions: a size that changes from iteration to
/// iteration is one of its own, so that the kernel knows no loop.
DimExpr
KernelOutliner::nameAxis(const DimExpr &axis,
                         std::vector<std::pair<std::string, DimExpr>> &own) {
  if (!dependsOnLoops(axis))
    return axis;
  for (const auto &[name, size] : own)
    if (std::optional<DimExpr> times = axis.exactDivide(size);
        times && !dependsOnLoops(*times))
      return *times * DimExpr::dim(name);
  std::string name;
  for (unsigned number = own.size(); name.empty() || dims.contains(name);
       ++number)
    name = "n" + std::to_string(number);
  own.push_back({name, axis});
  return DimExpr::dim(name);
}

/// Names the kernel's dimensions by those of its tensors, in order of their
/// first use, and states the sizes of arguments and results.
llvm::LogicalResult KernelOutliner::nameDims(OutlinedKernel &out) {
  llvm::SetVector<mlir::StringAttr> used;
  std::vector<std::pair<std::string, DimExpr>> own;
  mlir::MLIRContext *context = function.getContext();
  auto describe = [&](Value value) -> mlir::ArrayAttr {
    llvm::SmallVector<DimExpr> shape = analysis.dimsOf(value);
    for (DimExpr &dim : shape) {
      dim = nameAxis(dim, own);
      for (const std::string &name : dim.names())
        used.insert(mlir::StringAttr::get(context, name));
    }
    return xf::dimsToAttr(context, shape);
  };
  for (auto [i, value] : llvm::enumerate(out.arguments))
    out.kernel.setArgAttr(i, "xf.dims", describe(value));
  for (auto [i, value] : llvm::enumerate(out.results))
    out.kernel.setResultAttr(i, "xf.dims", describe(value));
  llvm::SmallVector<mlir::Attribute> names, sizes;
  for (mlir::StringAttr name : used) {
    auto size = llvm::find_if(
        own, [&](auto &entry) { return entry.first == name.getValue(); });
    if (size == own.end() && !dims.contains(name.getValue()))
      return cluster->sink()->emitOpError(
          "expected sizes that follow from the entry's arguments, found one "
          "that depends on data");
    names.push_back(name);
    sizes.push_back(size == own.end()
                        ? name
                        : mlir::StringAttr::get(context, size->second.str()));
  }
  out.dims = mlir::ArrayAttr::get(context, sizes);
  out.kernel.setDimsAttr(mlir::ArrayAttr::get(context, names));
  return mlir::success();
}

/// Sizes that tensor.dim can be asked for inside the kernel.
static void findSizes(mlir::OpBuilder &builder, xf::DimAnalysis &analysis,
                      Value value, Value argument,
                      std::map<DimExpr, Value> &sizes) {
  auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
  for (int64_t axis = 0; type && axis < type.getRank(); ++axis) {
    DimExpr size = analysis.dimOf(value, axis);
    if (!type.isDynamicDim(axis) || sizes.contains(size))
      continue;
    sizes[size] =
        mlir::tensor::DimOp::create(builder, argument.getLoc(), argument, axis);
  }
}

/// Every size that the cluster's ops need, through repeated ops.
void KernelOutliner::collectSizes(Operation *op, llvm::SetVector<Value> &out) {
  for (Value value : valuesRead(op)) {
    if (isSize(value))
      out.insert(value);
    else if (isRepeated(value.getDefiningOp()))
      collectSizes(value.getDefiningOp(), out);
  }
}

/// A tensor outside the cluster with an axis of this size, or null.
Value KernelOutliner::valueOfSize(Value size) {
  DimExpr wanted = *analysis.scalar(size);
  auto hasSize = [&](Value tensor) {
    return llvm::isa<RankedTensorType>(tensor.getType()) &&
           llvm::is_contained(analysis.dimsOf(tensor), wanted);
  };
  for (Value argument : arguments)
    if (hasSize(argument))
      return argument;
  for (Value argument : function.getArguments())
    if (hasSize(argument))
      return argument;
  if (auto dim = size.getDefiningOp<mlir::tensor::DimOp>())
    return dim.getSource();
  for (Operation &op : *cluster->sink()->getBlock()) {
    if (!op.isBeforeInBlock(cluster->sink()))
      break;
    if (inside.contains(&op) || isRepeated(&op))
      continue;
    for (Value result : op.getResults())
      if (hasSize(result))
        return result;
  }
  return {};
}

/// A size that no argument has comes with another tensor.
llvm::LogicalResult KernelOutliner::addSizeArguments() {
  llvm::SetVector<Value> wanted;
  for (Operation *op : cluster->ops)
    collectSizes(op, wanted);
  for (Value value : wanted) {
    if (analysis.scalar(value)->constant())
      continue;
    Value tensor = valueOfSize(value);
    if (!tensor)
      return cluster->sink()->emitOpError(
          "expected sizes that tensors of the loop have, found a number of "
          "the iteration");
    arguments.insert(tensor);
  }
  return mlir::success();
}

/// The values that are read outside the cluster.
void KernelOutliner::findResults(llvm::SmallVector<Value> &results) {
  mlir::Block &body = *cluster->sink()->getBlock();
  auto isOutside = [&](Operation *user) {
    return !inside.contains(body.findAncestorOpInBlock(*user)) &&
           !isShapeArithmetic(user);
  };
  for (Operation *op : cluster->ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), isOutside))
        results.push_back(result);
}

void KernelOutliner::buildBody(OutlinedKernel &out) {
  mlir::Block &body = out.kernel.getBody().front();
  auto builder = mlir::OpBuilder::atBlockBegin(&body);
  for (auto [value, argument] : llvm::zip(out.arguments, body.getArguments())) {
    mapping.map(value, argument);
    findSizes(builder, analysis, value, argument, sizes);
  }
  for (Operation *op : cluster->ops) {
    for (Value value : valuesRead(op))
      if (!inside.contains(value.getDefiningOp()))
        materialise(builder, value);
    builder.clone(*op, mapping)->removeAttr("xf.recompute");
  }
  llvm::SmallVector<Value> yielded;
  for (Value result : out.results)
    yielded.push_back(mapping.lookup(result));
  plan::YieldOp::create(builder, out.kernel.getLoc(), yielded);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

/// The root's name without dialect, "reduce" or "elementwise".
static llvm::StringRef rootName(const Cluster &cluster) {
  if (!cluster.root)
    return "elementwise";
  return llvm::isa<xf::XfDialect>(cluster.root->getDialect())
             ? cluster.root->getName().stripDialect()
             : "reduce";
}

llvm::FailureOr<OutlinedKernel> KernelOutliner::outline(Cluster &from) {
  cluster = &from;
  arguments.clear();
  inside.clear();
  mapping = mlir::IRMapping();
  sizes.clear();
  inside.insert_range(cluster->ops);
  for (Operation *op : cluster->ops)
    collectArguments(op);
  if (failed(addSizeArguments()))
    return mlir::failure();

  OutlinedKernel out;
  out.cluster = cluster;
  out.arguments = llvm::to_vector(arguments);
  findResults(out.results);
  mlir::OpBuilder builder(function.getContext());
  out.kernel = plan::KernelOp::create(
      builder, cluster->sink()->getLoc(), rootName(*cluster),
      builder.getFunctionType(mlir::ValueRange(out.arguments).getTypes(),
                              mlir::ValueRange(out.results).getTypes()),
      builder.getNamedAttr("dims", builder.getArrayAttr({})));
  symbols.insert(out.kernel, function->getIterator());
  buildBody(out);
  if (failed(nameDims(out)))
    return mlir::failure();
  for (auto &[result, value] : cluster->takesOver) {
    int64_t number = llvm::find(out.arguments, value) - out.arguments.begin();
    int64_t of = llvm::find(out.results, result) - out.results.begin();
    out.kernel.setResultAttr(of, "plan.alias",
                             builder.getI64IntegerAttr(number));
  }
  return out;
}
