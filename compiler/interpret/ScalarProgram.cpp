//===- ScalarProgram.cpp - Scalar blocks compiled for evaluation ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/ScalarProgram.h"

#include "compiler/interpret/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman::interpret {

Result<ScalarProgram> ScalarProgram::compile(mlir::Block &block, bool rounded) {
  ScalarProgram program;
  llvm::DenseMap<mlir::Value, uint32_t> numbers;
  for (mlir::BlockArgument argument : block.getArguments()) {
    numbers[argument] = program.cells.size();
    program.cells.push_back({.i = 0});
  }
  for (mlir::Operation &op : block.without_terminator())
    DRAGOMAN_RETURN_IF_ERROR(program.add(op, rounded, numbers));
  for (mlir::Value value : block.getTerminator()->getOperands())
    program.results.push_back(program.cellOf(value, numbers));
  return program;
}

uint32_t ScalarProgram::cellOf(mlir::Value value,
                               llvm::DenseMap<mlir::Value, uint32_t> &numbers) {
  auto [found, inserted] = numbers.try_emplace(value, cells.size());
  if (inserted) {
    cells.push_back({.i = 0});
    capturedScalars.push_back({value, found->second});
  }
  return found->second;
}

unsigned ScalarProgram::tensorNumber(mlir::Value value) {
  auto found = llvm::find(capturedTensors, value);
  if (found == capturedTensors.end()) {
    capturedTensors.push_back(value);
    return capturedTensors.size() - 1;
  }
  return found - capturedTensors.begin();
}

Status ScalarProgram::add(mlir::Operation &op, bool rounded,
                          llvm::DenseMap<mlir::Value, uint32_t> &numbers) {
  auto define = [&](mlir::Value value) {
    uint32_t number = cells.size();
    numbers[value] = number;
    cells.push_back({.i = 0});
    return number;
  };
  if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op)) {
    Result<Tensor> value = constantTensor(constant.getValue());
    if (!value)
      return value.status();
    uint32_t target = define(constant);
    if (value->isFloat())
      cells[target].f = value->floats()[0];
    else
      cells[target].i = value->integers()[0];
    return Status::ok();
  }
  Instruction instruction;
  instruction.op = &op;
  if (auto index = llvm::dyn_cast<mlir::linalg::IndexOp>(op)) {
    instruction.kind = Kind::LoopIndex;
    instruction.number = index.getDim();
  } else if (auto extract = llvm::dyn_cast<mlir::tensor::ExtractOp>(op)) {
    instruction.kind = Kind::Extract;
    instruction.number = tensorNumber(extract.getTensor());
    for (mlir::Value i : extract.getIndices())
      instruction.sources.push_back(cellOf(i, numbers));
  } else if (auto dim = llvm::dyn_cast<mlir::tensor::DimOp>(op)) {
    instruction.kind = Kind::Dim;
    instruction.number = tensorNumber(dim.getSource());
    instruction.sources.push_back(cellOf(dim.getIndex(), numbers));
  } else {
    std::optional<ScalarOp> scalar = findScalarOp(&op);
    if (!scalar || llvm::isa<mlir::ShapedType>(op.getResult(0).getType()))
      return Status(StatusCode::Unsupported,
                    "expected scalar arith or math in a region, found " +
                        op.getName().getStringRef().str(),
                    locationText(op.getLoc()));
    instruction.kind = Kind::Scalar;
    instruction.scalar = *scalar;
    instruction.rounded = rounded && isFloat(scalar->info.result) &&
                          scalar->info.result != Element::F64;
    for (mlir::Value operand : op.getOperands())
      instruction.sources.push_back(cellOf(operand, numbers));
  }
  instruction.target = define(op.getResult(0));
  code.push_back(std::move(instruction));
  return Status::ok();
}

void ScalarProgram::bind(
    llvm::function_ref<const Tensor &(mlir::Value)> lookup) {
  failure = Status::ok();
  tensors.clear();
  for (mlir::Value value : capturedTensors)
    tensors.push_back(lookup(value));
  for (auto [value, number] : capturedScalars) {
    const Tensor &scalar = lookup(value);
    if (scalar.isFloat())
      cells[number].f = scalar.floats()[0];
    else
      cells[number].i = scalar.integers()[0];
  }
}

void ScalarProgram::extract(const Instruction &instruction) {
  const Tensor &tensor = tensors[instruction.number];
  int64_t linear = 0;
  for (auto [axis, source] : llvm::enumerate(instruction.sources)) {
    int64_t i = cells[source].i, size = tensor.dim(axis);
    if (i < 0 || i >= size) {
      if (failure.isOk())
        failure =
            Status(StatusCode::RuntimeError,
                   "expected index " + std::to_string(axis) +
                       " of tensor.extract in 0.." + std::to_string(size - 1) +
                       ", found " + std::to_string(i),
                   locationText(instruction.op->getLoc()));
      cells[instruction.target].i = 0;
      return;
    }
    linear = linear * size + i;
  }
  if (tensor.isFloat())
    cells[instruction.target].f = tensor.floats()[linear];
  else
    cells[instruction.target].i = tensor.integers()[linear];
}

void ScalarProgram::run(const int64_t *index) {
  for (const Instruction &instruction : code) {
    Cell &target = cells[instruction.target];
    switch (instruction.kind) {
    case Kind::LoopIndex:
      target.i = index[instruction.number];
      break;
    case Kind::Extract:
      extract(instruction);
      break;
    case Kind::Dim:
      target.i =
          tensors[instruction.number].dim(cells[instruction.sources[0]].i);
      break;
    case Kind::Scalar: {
      Cell operands[3];
      for (size_t i = 0; i < instruction.sources.size(); ++i)
        operands[i] = cells[instruction.sources[i]];
      const ScalarInfo &info = instruction.scalar.info;
      target = instruction.scalar.function(operands, info);
      if (instruction.rounded)
        target.f = roundTo(info.result, target.f);
      else if (!isFloat(info.result))
        target.i = wrapTo(info.result, target.i);
      break;
    }
    }
  }
}

} // namespace dragoman::interpret
