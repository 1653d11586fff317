//===- TrainingImage.cpp - What the runtime reads of training -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/TrainingImage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <set>

using namespace dragoman;

namespace {

/// Finds what weights are made of.
class RecipeFinder {
public:
  RecipeFinder(mlir::ModuleOp module,
               const std::vector<ParameterDesc> &parameters)
      : symbols(module) {
    for (const ParameterDesc &parameter : parameters)
      names.insert(parameter.name);
  }

  /// The parameters whose rows the weight holds; none if it follows from no
  /// parameter.
  mlir::FailureOr<std::vector<std::string>> find(plan::WeightOp weight) {
    parts.clear();
    constants = false;
    if (mlir::failed(collect(weight)) || (constants && !parts.empty()))
      return weight.emitOpError("expected a weight that is a concatenation of "
                                "parameters along their rows, or of none");
    return parts;
  }

private:
  mlir::LogicalResult collect(plan::WeightOp weight) {
    std::string name = weight.getSymName().str();
    // A copy in another layout is named after its weight.
    llvm::StringRef base = llvm::StringRef(name).rsplit(".panel16").first;
    if (names.count(base.str())) {
      parts.push_back(base.str());
      return mlir::success();
    }
    if (!weight.getDerived()) {
      constants = true;
      return mlir::success();
    }
    auto init = symbols.lookup<mlir::func::FuncOp>(*weight.getDerived());
    mlir::Operation *end = init.getBody().front().getTerminator();
    if (mlir::succeeded(collect(end->getOperand(0))))
      return mlir::success();
    // Any computation will do if no parameter takes part.
    bool found = false;
    init.walk([&](plan::LoadOp load) { found |= reads(load); });
    constants = true;
    return mlir::failure(found);
  }

  mlir::LogicalResult collect(mlir::Value value) {
    if (auto load = value.getDefiningOp<plan::LoadOp>())
      return collect(symbols.lookup<plan::WeightOp>(load.getWeight()));
    auto concat = value.getDefiningOp<mlir::tensor::ConcatOp>();
    if (!concat || concat.getDim() != 0)
      return mlir::failure();
    for (mlir::Value input : concat.getInputs())
      if (mlir::failed(collect(input)))
        return mlir::failure();
    return mlir::success();
  }

  /// True if the loaded weight follows from a parameter.
  bool reads(plan::LoadOp load) {
    auto weight = symbols.lookup<plan::WeightOp>(load.getWeight());
    if (names.count(weight.getSymName().str()))
      return true;
    if (!weight.getDerived())
      return false;
    bool found = false;
    symbols.lookup(*weight.getDerived())->walk([&](plan::LoadOp inner) {
      found |= reads(inner);
    });
    return found;
  }

  mlir::SymbolTable symbols;
  std::set<std::string> names;
  std::vector<std::string> parts;
  bool constants = false;
};

} // namespace

mlir::FailureOr<TrainingDesc>
dragoman::describeTraining(mlir::ModuleOp module,
                           std::vector<ParameterDesc> parameters,
                           ModelImage &image) {
  TrainingDesc training;
  training.parameters = std::move(parameters);
  int64_t size = training.elements();
  for (const StateDesc &state : image.states)
    if (state.tensor.shape.size() == 1 && state.tensor.shape[0] == size &&
        state.tensor.type == ElementType::F32)
      training.states.push_back(state.tensor.name);

  mlir::SymbolTable symbols(module);
  RecipeFinder finder(module, training.parameters);
  for (const WeightDesc &weight : image.weights) {
    mlir::FailureOr<std::vector<std::string>> parts =
        finder.find(symbols.lookup<plan::WeightOp>(weight.name));
    if (mlir::failed(parts))
      return mlir::failure();
    if (!parts->empty())
      training.recipes.push_back({weight.name, std::move(*parts)});
  }
  WeightDesc initial;
  initial.name = parametersWeight;
  initial.shape = {size};
  image.weights.push_back(initial);
  return training;
}

Status dragoman::writeParameters(mlir::ModuleOp module,
                                 const std::vector<ParameterDesc> &parameters,
                                 WeightWriter &weights,
                                 const WeightWriter::Sink &sink) {
  mlir::SymbolTable symbols(module);
  for (const ParameterDesc &parameter : parameters) {
    Result<WeightValue> value =
        weights.evaluate(symbols.lookup<plan::WeightOp>(parameter.name));
    if (!value)
      return value.status();
    DRAGOMAN_RETURN_IF_ERROR(sink(value->data, value->bytes()));
  }
  return Status::ok();
}
