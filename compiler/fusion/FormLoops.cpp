//===- FormLoops.cpp - Loops over tensors become plan.loop -*- C++ -*- --===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/fusion/FormLoops.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/DimAnalysis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace dragoman;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::Value;

namespace {

class LoopFormer {
public:
  LoopFormer(mlir::func::FuncOp function, const llvm::StringSet<> &dims)
      : function(function), known(dims) {}

  LogicalResult form(mlir::Block &block);

private:
  llvm::FailureOr<plan::LoopOp> form(mlir::scf::ForOp loop);
  llvm::FailureOr<DimExpr> tripsOf(mlir::scf::ForOp loop);
  LogicalResult verifySizes(plan::LoopOp loop);
  std::string freshName();

  mlir::func::FuncOp function;
  llvm::StringSet<> known; ///< the entry's dimensions and all loops'
  unsigned loops = 0;
};

} // namespace

std::string LoopFormer::freshName() {
  std::string name;
  do
    name = "loop" + std::to_string(loops++);
  while (!known.insert(name).second);
  return name;
}

llvm::FailureOr<DimExpr> LoopFormer::tripsOf(mlir::scf::ForOp loop) {
  xf::DimAnalysis analysis;
  std::optional<DimExpr> first = analysis.scalar(loop.getLowerBound()),
                         last = analysis.scalar(loop.getUpperBound()),
                         step = analysis.scalar(loop.getStep());
  std::optional<int64_t> by = step ? step->constant() : std::nullopt;
  bool isKnown = first && last && by && *by > 0;
  if (isKnown)
    for (const DimExpr *bound : {&*first, &*last})
      for (const std::string &name : bound->names())
        isKnown = isKnown && known.contains(name);
  if (!isKnown)
    return loop.emitOpError("expected bounds that follow from the entry's "
                            "sizes, and a constant step above 0");
  DimExpr trips = DimExpr::ceilDiv(*last - *first, *by);
  return trips.provablyNonNegative() ? trips : DimExpr::max(trips, 0);
}

/// An init that is a constant is written by a kernel.
static void materialiseInit(mlir::OpBuilder &builder, mlir::OpOperand &init) {
  mlir::DenseElementsAttr constant;
  if (!mlir::matchPattern(init.get(), mlir::m_Constant(&constant)) ||
      !constant.isSplat())
    return;
  mlir::Location loc = init.getOwner()->getLoc();
  auto type = llvm::cast<mlir::RankedTensorType>(init.get().getType());
  auto scalar = mlir::arith::ConstantOp::create(
      builder, loc, constant.getSplatValue<mlir::TypedAttr>());
  auto empty = mlir::tensor::EmptyOp::create(builder, loc, type.getShape(),
                                             type.getElementType());
  auto fill = mlir::linalg::FillOp::create(
      builder, loc, mlir::ValueRange{scalar}, mlir::ValueRange{empty});
  init.set(fill.getResult(0));
}

llvm::FailureOr<plan::LoopOp> LoopFormer::form(mlir::scf::ForOp loop) {
  if (!llvm::all_of(loop.getInitArgs().getTypes(),
                    llvm::IsaPred<mlir::RankedTensorType>))
    return loop.emitOpError("expected a loop over tensors, found ")
           << loop.getInitArgs().getTypes();
  llvm::FailureOr<DimExpr> trips = tripsOf(loop);
  if (failed(trips))
    return mlir::failure();
  mlir::OpBuilder builder(loop);
  for (mlir::OpOperand &init : loop.getInitArgsMutable())
    materialiseInit(builder, init);
  auto formed =
      plan::LoopOp::create(builder, loop.getLoc(), loop.getResultTypes(),
                           freshName(), trips->str(), loop.getInitArgs());
  formed.getBody().takeBody(loop.getRegion());
  mlir::Block &body = formed.getBody().front();
  builder.setInsertionPointToStart(&body);
  // The number of the iteration counts from 0 in steps of 1.
  Value number = body.getArgument(0);
  llvm::SmallVector<mlir::OpOperand *> uses;
  for (mlir::OpOperand &use : number.getUses())
    uses.push_back(&use);
  Value at = mlir::arith::MulIOp::create(builder, loop.getLoc(), number,
                                         loop.getStep());
  at = mlir::arith::AddIOp::create(builder, loop.getLoc(), at,
                                   loop.getLowerBound());
  for (mlir::OpOperand *use : uses)
    use->set(at);
  Operation *yield = body.getTerminator();
  builder.setInsertionPoint(yield);
  plan::NextOp::create(builder, yield->getLoc(), yield->getOperands());
  yield->erase();
  loop.replaceAllUsesWith(formed.getResults());
  loop.erase();
  return formed;
}

/// With the sizes of the inits at its start, an iteration must end with them.
LogicalResult LoopFormer::verifySizes(plan::LoopOp loop) {
  xf::DimAnalysis analysis;
  Operation *next = loop.getBody().front().getTerminator();
  for (auto [init, value] : llvm::zip(loop.getInits(), next->getOperands()))
    if (analysis.dimsOf(init) != analysis.dimsOf(value))
      return loop.emitOpError("expected values that keep their sizes, found ")
             << xf::dimsToAttr(loop.getContext(), analysis.dimsOf(init))
             << " and then "
             << xf::dimsToAttr(loop.getContext(), analysis.dimsOf(value));
  return mlir::success();
}

LogicalResult LoopFormer::form(mlir::Block &block) {
  for (auto loop : llvm::to_vector(block.getOps<mlir::scf::ForOp>())) {
    llvm::FailureOr<plan::LoopOp> formed = form(loop);
    if (failed(formed) || failed(form(formed->getBody().front())) ||
        failed(verifySizes(*formed)))
      return mlir::failure();
  }
  return mlir::success();
}

LogicalResult fusion::formLoops(mlir::func::FuncOp function,
                                const llvm::StringSet<> &dims) {
  return LoopFormer(function, dims).form(function.getBody().front());
}

llvm::SmallVector<mlir::Block *> fusion::bodiesOf(mlir::func::FuncOp function) {
  llvm::SmallVector<mlir::Block *> bodies = {&function.getBody().front()};
  function.walk<mlir::WalkOrder::PreOrder>(
      [&](plan::LoopOp loop) { bodies.push_back(&loop.getBody().front()); });
  return bodies;
}
