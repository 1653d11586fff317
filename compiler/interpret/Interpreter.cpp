//===- Interpreter.cpp - Evaluates IR of stages 0 to 4 --------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Interpreter.h"

#include "compiler/interpret/Evaluator.h"
#include "dialects/xf/reference/Reference.h"

namespace dragoman::interpret {

Interpreter::Interpreter(mlir::ModuleOp module, Options options)
    : module(module),
      evaluator(std::make_unique<Evaluator>(module, std::move(options))) {}

Interpreter::~Interpreter() = default;

/// The name of the state that an argument or result stands for, or empty.
static std::string stateName(mlir::DictionaryAttr attributes) {
  auto state = attributes
                   ? attributes.getAs<mlir::FlatSymbolRefAttr>("plan.state")
                   : mlir::FlatSymbolRefAttr();
  return state ? state.getValue().str() : std::string();
}

/// The tensor of argument `number`, checked against its type's element and
/// rank.
static Status checkInput(mlir::FunctionOpInterface function, unsigned number,
                         const Tensor &tensor) {
  mlir::Type type = function.getArgumentTypes()[number];
  auto ranked = llvm::dyn_cast<mlir::RankedTensorType>(type);
  bool fits = xf::elementOf(type) == tensor.element() &&
              tensor.rank() == (ranked ? ranked.getRank() : 0);
  for (int64_t axis = 0; fits && ranked && axis < tensor.rank(); ++axis)
    fits = ranked.isDynamicDim(axis) ||
           ranked.getDimSize(axis) == tensor.dim(axis);
  if (fits)
    return Status::ok();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return Status(StatusCode::InvalidArgument,
                "expected argument " + std::to_string(number) + " of " + text +
                    ", found " + tensor.typeText(),
                function.getName().str());
}

Result<std::vector<Tensor>> Interpreter::run(llvm::StringRef entry,
                                             std::vector<Tensor> inputs,
                                             StateMap *states) {
  auto function = llvm::dyn_cast_if_present<mlir::FunctionOpInterface>(
      evaluator->symbol(entry));
  if (!function)
    return Status(StatusCode::NotFound,
                  "expected the name of a function or entry, found '" +
                      entry.str() + "'");
  std::vector<Tensor> arguments;
  size_t next = 0;
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    std::string name = stateName(function.getArgAttrDict(number));
    if (name.empty()) {
      if (next == inputs.size())
        return Status(StatusCode::InvalidArgument,
                      "expected an input for argument " +
                          std::to_string(number) + ", found " +
                          std::to_string(inputs.size()) + " inputs",
                      entry.str());
      arguments.push_back(std::move(inputs[next++]));
    } else {
      if (!states || !states->count(name))
        return Status(StatusCode::InvalidArgument,
                      "expected a value for state @" + name, entry.str());
      arguments.push_back((*states)[name]);
    }
    DRAGOMAN_RETURN_IF_ERROR(checkInput(function, number, arguments.back()));
  }
  if (next != inputs.size())
    return Status(StatusCode::InvalidArgument,
                  "expected " + std::to_string(next) + " inputs, found " +
                      std::to_string(inputs.size()),
                  entry.str());

  Result<std::vector<Tensor>> results =
      evaluator->call(function, std::move(arguments));
  // A failed check comes first: sizes that do not fit behind it follow from it.
  DRAGOMAN_RETURN_IF_ERROR(evaluator->takeCheck());
  if (!results)
    return results.status();
  std::vector<Tensor> outputs;
  for (unsigned number = 0; number < results->size(); ++number) {
    std::string name = stateName(function.getResultAttrDict(number));
    if (name.empty())
      outputs.push_back(std::move((*results)[number]));
    else if (states)
      (*states)[name] = std::move((*results)[number]);
  }
  return outputs;
}

Result<StateMap>
Interpreter::makeStates(const std::map<std::string, int64_t> &dims) {
  StateMap states;
  for (auto state : module.getOps<plan::StateOp>()) {
    std::vector<int64_t> shape;
    for (auto text : state.getDims().getAsRange<mlir::StringAttr>()) {
      Result<DimExpr> expr = DimExpr::parse(text.getValue().str());
      Result<int64_t> size =
          expr ? expr->evaluate(dims) : Result<int64_t>(expr.status());
      if (!size)
        return size.status().at("@" + state.getSymName().str());
      shape.push_back(*size);
    }
    auto type = llvm::cast<mlir::RankedTensorType>(state.getType());
    states.emplace(state.getSymName().str(),
                   Tensor(*xf::elementOf(type), std::move(shape)));
  }
  return states;
}

Result<Tensor> Interpreter::weight(llvm::StringRef name) {
  auto op = llvm::dyn_cast_if_present<plan::WeightOp>(evaluator->symbol(name));
  if (!op)
    return Status(StatusCode::NotFound,
                  "expected the name of a weight, found '" + name.str() + "'");
  return evaluator->weight(op);
}

} // namespace dragoman::interpret
