//===- EvalXf.cpp - xf ops through their references, and constants --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Evaluator.h"

#include "dialects/xf/reference/Reference.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace dragoman::interpret {

static Status evalReference(Evaluator &evaluator, Frame &frame,
                            mlir::Operation *op) {
  std::vector<Tensor> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(frame.get(operand));
  // Programs of the op's regions, bound to the captured values.
  llvm::SmallDenseMap<mlir::Region *, ScalarProgram *, 2> programs;
  for (mlir::Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    Result<ScalarProgram *> program = evaluator.program(frame, region.front());
    if (!program)
      return program.status();
    programs[&region] = *program;
  }
  // A value that ends here is the call's alone, so that a cache is not copied.
  for (mlir::Value value : evaluator.lastUses(op))
    frame.values.erase(value);
  auto evaluate = [&](mlir::Region &body, llvm::ArrayRef<double> values,
                      llvm::SmallVectorImpl<double> &results) {
    ScalarProgram *program = programs.lookup(&body);
    mlir::Block &block = body.front();
    for (auto [number, value] : llvm::enumerate(values)) {
      Cell &cell = program->arguments()[number];
      if (block.getArgument(number).getType().isIndex())
        cell.i = static_cast<int64_t>(value);
      else
        cell.f = value;
    }
    program->run(nullptr);
    for (auto [number, operand] :
         llvm::enumerate(block.getTerminator()->getOperands())) {
      Cell cell = program->result(number);
      results.push_back(
          operand.getType().isIndex() ? static_cast<double>(cell.i) : cell.f);
    }
  };
  auto fail = [&](int64_t site, int64_t index, int64_t value, int64_t bound) {
    evaluator.recordCheck(op, site, index, value, bound);
  };
  xf::ReferenceCall call(op, operands, evaluate, fail);
  xf::ReferenceFunction reference =
      xf::findReference(op->getName().getStringRef());
  DRAGOMAN_RETURN_IF_ERROR(reference(call, op));
  for (auto [body, program] : programs)
    DRAGOMAN_RETURN_IF_ERROR(program->status());
  for (auto [number, result] : llvm::enumerate(call.results))
    DRAGOMAN_RETURN_IF_ERROR(
        evaluator.define(frame, op, number, std::move(result)));
  return Status::ok();
}

static Status evalConstant(Evaluator &evaluator, Frame &frame,
                           mlir::Operation *op) {
  Result<Tensor> value =
      constantTensor(llvm::cast<mlir::arith::ConstantOp>(op).getValue());
  if (!value)
    return value.status();
  return evaluator.define(frame, op, 0, std::move(*value));
}

/// arith.select takes a scalar condition over tensors.
static Status evalScalarSelect(Evaluator &evaluator, Frame &frame,
                               mlir::Operation *op) {
  bool first = frame.integer(op->getOperand(0));
  return evaluator.define(frame, op, 0,
                          frame.get(op->getOperand(first ? 1 : 2)));
}

Status evalElementwise(Evaluator &evaluator, Frame &frame, mlir::Operation *op,
                       const ScalarOp &scalar) {
  llvm::SmallVector<const Tensor *, 3> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(&frame.get(operand));
  if (op->getName().getStringRef() == "arith.select" &&
      operands[0]->rank() == 0 && operands[1]->rank() != 0)
    return evalScalarSelect(evaluator, frame, op);
  for (const Tensor *operand : operands)
    if (operand->shape() != operands[0]->shape())
      return xf::sizeError("operands", operands[0]->shape(), operand->shape());
  Tensor result(scalar.info.result, operands[0]->shape());
  for (int64_t i = 0; i < result.elements(); ++i) {
    Cell cells[3];
    for (auto [number, operand] : llvm::enumerate(operands)) {
      if (operand->isFloat())
        cells[number].f = operand->floats()[i];
      else
        cells[number].i = operand->integers()[i];
    }
    Cell cell = scalar.function(cells, scalar.info);
    if (result.isFloat())
      result.mutableFloats()[i] = cell.f;
    else
      result.mutableIntegers()[i] = wrapTo(scalar.info.result, cell.i);
  }
  return evaluator.define(frame, op, 0, std::move(result));
}

void registerXfOps(Evaluator::HandlerTable &handlers) {
#define XF_OP(Class, Stem, ...) handlers["xf." #Stem] = evalReference;
#include "dialects/xf/Ops.def"
  handlers["arith.constant"] = evalConstant;
}

} // namespace dragoman::interpret
