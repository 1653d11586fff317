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
  return op && !kernelRoleOf(op) && !llvm::isa<plan::LoadOp>(op);
}

/// The operands of `op` and what its regions capture.
static llvm::SetVector<Value> valuesRead(Operation *op) {
  llvm::SetVector<Value> values(op->operand_begin(), op->operand_end());
  mlir::getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// Finds the tensors that `op` and the repeated ops in front of it read. Sizes
/// need no argument of their own: they are found at the others.
void KernelOutliner::collectArguments(Operation *op) {
  for (Value value : valuesRead(op)) {
    Operation *producer = value.getDefiningOp();
    if (producer &&
        (inside.contains(producer) || llvm::isa<mlir::tensor::DimOp>(producer)))
      continue;
    if (isRepeated(producer)) {
      collectArguments(producer);
      continue;
    }
    arguments.insert(value);
  }
}

Value KernelOutliner::sizeInKernel(mlir::OpBuilder &builder, Operation *dim) {
  auto dimOp = llvm::cast<mlir::tensor::DimOp>(dim);
  DimExpr size = analysis.dimOf(dimOp.getSource(), *dimOp.getConstantIndex());
  if (std::optional<int64_t> constant = size.constant())
    return mlir::arith::ConstantIndexOp::create(builder, dim->getLoc(),
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
  if (llvm::isa<mlir::tensor::DimOp>(producer)) {
    inner = sizeInKernel(builder, producer);
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

/// Names the kernel's dimensions by those of its tensors, in order of their
/// first use, and states the sizes of arguments and results.
llvm::LogicalResult KernelOutliner::nameDims(OutlinedKernel &out) {
  llvm::SetVector<mlir::StringAttr> used;
  mlir::MLIRContext *context = function.getContext();
  auto describe = [&](Value value) -> mlir::ArrayAttr {
    llvm::SmallVector<DimExpr> shape = analysis.dimsOf(value);
    for (const DimExpr &dim : shape)
      for (const std::string &name : dim.names())
        used.insert(mlir::StringAttr::get(context, name));
    return xf::dimsToAttr(context, shape);
  };
  for (auto [i, value] : llvm::enumerate(out.arguments))
    out.kernel.setArgAttr(i, "xf.dims", describe(value));
  for (auto [i, value] : llvm::enumerate(out.results))
    out.kernel.setResultAttr(i, "xf.dims", describe(value));
  llvm::SmallVector<mlir::Attribute> list;
  for (mlir::StringAttr name : used) {
    if (!dims.contains(name.getValue()))
      return cluster->sink()->emitOpError(
          "expected sizes that follow from the entry's arguments, found one "
          "that depends on data");
    list.push_back(name);
  }
  out.dims = mlir::ArrayAttr::get(context, list);
  out.kernel.setDimsAttr(out.dims);
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

/// Every tensor.dim that the cluster's ops need, through repeated ops.
static void collectSizes(Operation *op, llvm::SetVector<Value> &out) {
  for (Value value : valuesRead(op)) {
    Operation *producer = value.getDefiningOp();
    if (producer && llvm::isa<mlir::tensor::DimOp>(producer))
      out.insert(value);
    else if (isRepeated(producer))
      collectSizes(producer, out);
  }
}

/// A size that no argument has comes with an argument of the function.
void KernelOutliner::addSizeArguments() {
  llvm::SetVector<Value> wanted;
  for (Operation *op : cluster->ops)
    collectSizes(op, wanted);
  for (Value value : wanted) {
    auto dim = value.getDefiningOp<mlir::tensor::DimOp>();
    DimExpr size = analysis.dimOf(dim.getSource(), *dim.getConstantIndex());
    auto hasSize = [&](Value tensor) {
      auto type = llvm::dyn_cast<RankedTensorType>(tensor.getType());
      return type && llvm::is_contained(analysis.dimsOf(tensor), size);
    };
    if (size.constant() || llvm::any_of(arguments, hasSize))
      continue;
    auto argument = llvm::find_if(function.getArguments(), hasSize);
    arguments.insert(argument != function.getArguments().end()
                         ? Value(*argument)
                         : dim.getSource());
  }
}

/// The values that are read outside the cluster.
void KernelOutliner::findResults(llvm::SmallVector<Value> &results) {
  mlir::Block &body = function.getBody().front();
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
    builder.clone(*op, mapping);
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
  addSizeArguments();

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
  if (cluster->updatedOperand >= 0) {
    Value state = cluster->root->getOperand(cluster->updatedOperand);
    int64_t number = llvm::find(out.arguments, state) - out.arguments.begin();
    out.kernel.setResultAttr(0, "plan.alias",
                             builder.getI64IntegerAttr(number));
  }
  return out;
}
