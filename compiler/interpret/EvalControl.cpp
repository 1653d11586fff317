//===- EvalControl.cpp - func and scf ops of the closed list --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Evaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dragoman::interpret {

static Status defineAll(Evaluator &evaluator, Frame &frame, mlir::Operation *op,
                        std::vector<Tensor> &values) {
  for (unsigned number = 0; number < op->getNumResults(); ++number)
    DRAGOMAN_RETURN_IF_ERROR(
        evaluator.define(frame, op, number, std::move(values[number])));
  return Status::ok();
}

/// Runs `block` with `values` as its arguments; they become what it yields.
static Status runBlock(Evaluator &evaluator, Frame &frame, mlir::Block &block,
                       std::vector<Tensor> &values) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), values))
    frame.values[argument] = std::move(value);
  return evaluator.block(frame, block, values);
}

static Status evalCall(Evaluator &evaluator, Frame &frame,
                       mlir::Operation *op) {
  auto call = llvm::cast<mlir::func::CallOp>(op);
  auto callee = llvm::dyn_cast_if_present<mlir::FunctionOpInterface>(
      evaluator.symbol(call.getCallee()));
  if (!callee)
    return Status(StatusCode::NotFound,
                  "expected the name of a function, found @" +
                      call.getCallee().str());
  std::vector<Tensor> arguments;
  for (mlir::Value operand : call.getOperands())
    arguments.push_back(frame.get(operand));
  Result<std::vector<Tensor>> results =
      evaluator.call(callee, std::move(arguments));
  if (!results)
    return results.status();
  return defineAll(evaluator, frame, op, *results);
}

static Status evalIf(Evaluator &evaluator, Frame &frame, mlir::Operation *op) {
  auto branch = llvm::cast<mlir::scf::IfOp>(op);
  bool taken = frame.integer(branch.getCondition());
  mlir::Region &region =
      taken ? branch.getThenRegion() : branch.getElseRegion();
  std::vector<Tensor> values;
  if (!region.empty())
    DRAGOMAN_RETURN_IF_ERROR(
        runBlock(evaluator, frame, region.front(), values));
  return defineAll(evaluator, frame, op, values);
}

static Status evalFor(Evaluator &evaluator, Frame &frame, mlir::Operation *op) {
  auto loop = llvm::cast<mlir::scf::ForOp>(op);
  int64_t first = frame.integer(loop.getLowerBound()),
          last = frame.integer(loop.getUpperBound()),
          step = frame.integer(loop.getStep());
  if (step <= 0)
    return Status(StatusCode::InvalidArgument,
                  "expected a step above 0, found " + std::to_string(step));
  Element element = frame.get(loop.getLowerBound()).element();
  std::vector<Tensor> values;
  for (mlir::Value init : loop.getInitArgs())
    values.push_back(frame.get(init));
  for (int64_t i = first; i < last; i += step) {
    values.insert(values.begin(), Tensor::scalar(element, i));
    DRAGOMAN_RETURN_IF_ERROR(
        runBlock(evaluator, frame, *loop.getBody(), values));
  }
  return defineAll(evaluator, frame, op, values);
}

static Status evalWhile(Evaluator &evaluator, Frame &frame,
                        mlir::Operation *op) {
  auto loop = llvm::cast<mlir::scf::WhileOp>(op);
  constexpr int64_t limit = 1 << 20;
  std::vector<Tensor> values;
  for (mlir::Value init : loop.getInits())
    values.push_back(frame.get(init));
  for (int64_t trip = 0; trip < limit; ++trip) {
    // scf.condition yields the condition and then the values.
    DRAGOMAN_RETURN_IF_ERROR(
        runBlock(evaluator, frame, *loop.getBeforeBody(), values));
    bool more = values.front().integers()[0];
    values.erase(values.begin());
    if (!more)
      return defineAll(evaluator, frame, op, values);
    DRAGOMAN_RETURN_IF_ERROR(
        runBlock(evaluator, frame, *loop.getAfterBody(), values));
  }
  return Status(StatusCode::RuntimeError, "expected the loop to end, found " +
                                              std::to_string(limit) +
                                              " iterations");
}

void registerControlOps(Evaluator::HandlerTable &handlers) {
  handlers["func.call"] = evalCall;
  handlers["scf.for"] = evalFor;
  handlers["scf.if"] = evalIf;
  handlers["scf.while"] = evalWhile;
}

} // namespace dragoman::interpret
