//===- FormKernels.cpp - Functions become entries that dispatch kernels ---===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/fusion/FormLoops.h"
#include "compiler/fusion/KernelOutliner.h"
#include "compiler/fusion/Passes.h"
#include "dialects/upstream/KernelRoles.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"

namespace dragoman::fusion {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "compiler/fusion/Passes.h.inc"
} // namespace dragoman::fusion

using namespace dragoman;
using namespace dragoman::fusion;
using mlir::Operation;
using mlir::Value;

/// States the sizes of arguments whose type is static.
static void describeStaticArguments(mlir::func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(
        function.getArgument(i).getType());
    if (!type || !type.hasStaticShape() || function.getArgAttr(i, "xf.dims"))
      continue;
    llvm::SmallVector<DimExpr> dims(type.getShape());
    function.setArgAttr(i, "xf.dims",
                        xf::dimsToAttr(function.getContext(), dims));
  }
}

/// The dimension names that the function's arguments bind, in order.
static llvm::LogicalResult
argumentDims(mlir::func::FuncOp function,
             llvm::SetVector<mlir::StringAttr> &names) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto dims = function.getArgAttrOfType<mlir::ArrayAttr>(i, "xf.dims");
    if (!dims)
      return function.emitOpError("expected xf.dims on argument ") << i;
    for (const DimExpr &dim : xf::dimsFromAttr(dims))
      for (const std::string &name : dim.names())
        names.insert(mlir::StringAttr::get(function.getContext(), name));
  }
  return mlir::success();
}

/// States the sizes of the function's results.
static void describeResults(mlir::func::FuncOp function) {
  xf::DimAnalysis analysis;
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
    function.setResultAttr(
        i, "xf.dims",
        xf::dimsToAttr(function.getContext(), analysis.dimsOf(value)));
}

/// A returned value that reads no tensor, as a state that becomes zero, is
/// computed last, when nothing needs the state's old contents.
static void sinkFreshStates(mlir::Block &body) {
  Operation *terminator = body.getTerminator();
  if (!llvm::isa<mlir::func::ReturnOp>(terminator))
    return;
  for (Value value : terminator->getOperands()) {
    Operation *op = value.getDefiningOp();
    bool readsNone =
        op && op->hasOneUse() && kernelRoleOf(op) &&
        llvm::all_of(op->getOperands(), [](Value operand) {
          return !llvm::isa<mlir::RankedTensorType>(operand.getType()) ||
                 operand.getDefiningOp<mlir::tensor::EmptyOp>();
        });
    if (readsNone)
      op->moveBefore(terminator);
  }
}

/// Replaces each cluster by a dispatch at its sink. Clusters are in the order
/// of their sinks, so a dispatch's arguments exist where it stands.
static void insertDispatches(llvm::MutableArrayRef<OutlinedKernel> kernels) {
  mlir::IRMapping replaced;
  for (OutlinedKernel &out : kernels) {
    Operation *sink = out.cluster->sink();
    mlir::OpBuilder builder(sink);
    llvm::SmallVector<Value> arguments;
    for (Value argument : out.arguments)
      arguments.push_back(replaced.lookupOrDefault(argument));
    auto dispatch = plan::DispatchOp::create(
        builder, sink->getLoc(), mlir::ValueRange(out.results).getTypes(),
        out.kernel.getSymName(), arguments, out.dims);
    for (auto [result, value] : llvm::zip(out.results, dispatch.getResults())) {
      result.replaceAllUsesExcept(value, dispatch);
      replaced.map(result, value);
    }
  }
}

/// Removes what the kernels hold now, and whatever only they needed.
static void eraseClusters(mlir::Block &body,
                          llvm::ArrayRef<OutlinedKernel> kernels) {
  llvm::DenseSet<Operation *> outlined;
  for (const OutlinedKernel &out : kernels)
    outlined.insert_range(out.cluster->ops);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
    if (!outlined.contains(&op) && !mlir::isOpTriviallyDead(&op))
      continue;
    op.dropAllUses();
    op.erase();
  }
}

/// The entry with the function's border and body.
static plan::EntryOp makeEntry(mlir::func::FuncOp function,
                               mlir::ArrayAttr dims,
                               mlir::SymbolTable &symbols) {
  mlir::OpBuilder builder(function);
  std::string name = function.getName().str();
  auto entry = plan::EntryOp::create(builder, function.getLoc(), name,
                                     function.getFunctionType(),
                                     builder.getNamedAttr("dims", dims));
  if (auto attributes = function.getArgAttrsAttr())
    entry.setArgAttrsAttr(attributes);
  if (auto attributes = function.getResAttrsAttr())
    entry.setResAttrsAttr(attributes);
  entry.getBody().takeBody(function.getBody());
  Operation *terminator = entry.getBody().front().getTerminator();
  builder.setInsertionPoint(terminator);
  plan::ReturnOp::create(builder, terminator->getLoc(),
                         terminator->getOperands());
  terminator->erase();
  symbols.erase(function);
  symbols.insert(entry);
  return entry;
}

namespace {

struct FormKernelsPass : fusion::impl::FormKernelsPassBase<FormKernelsPass> {
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<plan::PlanDialect, mlir::arith::ArithDialect,
                    mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect>();
  }

  llvm::LogicalResult convert(mlir::func::FuncOp function,
                              mlir::SymbolTable &symbols) {
    describeStaticArguments(function);
    llvm::SetVector<mlir::StringAttr> names;
    if (failed(argumentDims(function, names)))
      return mlir::failure();
    llvm::StringSet<> known;
    for (mlir::StringAttr name : names)
      known.insert(name.getValue());
    if (failed(formLoops(function, known)))
      return mlir::failure();
    describeResults(function);

    llvm::SmallVector<mlir::Block *> bodies = bodiesOf(function);
    std::vector<std::unique_ptr<Cluster>> clusters;
    for (mlir::Block *body : bodies) {
      sinkFreshStates(*body);
      splitReads(*body);
      std::vector<std::unique_ptr<Cluster>> own = clusterOps(*body);
      findTakeovers(*body, own);
      std::move(own.begin(), own.end(), std::back_inserter(clusters));
    }
    KernelOutliner outliner(function, symbols, known);
    std::vector<OutlinedKernel> kernels;
    for (std::unique_ptr<Cluster> &cluster : clusters) {
      llvm::FailureOr<OutlinedKernel> kernel = outliner.outline(*cluster);
      if (failed(kernel))
        return mlir::failure();
      kernels.push_back(*kernel);
    }
    insertDispatches(kernels);
    for (mlir::Block *body : llvm::reverse(bodies))
      eraseClusters(*body, kernels);
    llvm::SmallVector<mlir::Attribute> dims(names.begin(), names.end());
    makeEntry(function, mlir::ArrayAttr::get(&getContext(), dims), symbols);
    return mlir::success();
  }

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<mlir::func::FuncOp>()))
      if (!function.isPrivate() && failed(convert(function, symbols)))
        return signalPassFailure();
  }
};

} // namespace
