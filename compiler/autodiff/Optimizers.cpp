//===- Optimizers.cpp - The optimisers that a module may ask for ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/autodiff/Optimizers.h"

#include "dialects/xf/Xf.h"

#include <vector>

using namespace dragoman;
using namespace dragoman::autodiff;
using llvm::APFloat;
using mlir::Type;
using mlir::Value;

namespace {

using Results = llvm::SmallVector<Value>;

/// One optimiser: its states, its numbers with their defaults, its op.
struct OptimizerRow {
  llvm::StringLiteral name;
  llvm::ArrayRef<llvm::StringLiteral> states;
  std::vector<std::pair<const char *, double>> numbers;
  Results (*build)(mlir::OpBuilder &, mlir::Location, const TrainingOptions &,
                   const UpdateOperands &);
};

} // namespace

static Results buildAdam(mlir::OpBuilder &builder, mlir::Location loc,
                         const TrainingOptions &o, const UpdateOperands &in) {
  Type type = in.parameters.getType();
  auto op = xf::AdamOp::create(
      builder, loc, type, type, type, in.parameters, in.gradient, in.states[0],
      in.states[1], in.learningRate, in.step, in.scale, in.skip,
      APFloat(o.number("beta1")), APFloat(o.number("beta2")),
      APFloat(o.number("eps")), APFloat(o.number("weight_decay")),
      /*decoupled=*/o.optimizer == "adamw", in.decayEnd);
  return Results(op->getResults());
}

static Results buildSgd(mlir::OpBuilder &builder, mlir::Location loc,
                        const TrainingOptions &o, const UpdateOperands &in) {
  Type type = in.parameters.getType();
  auto op = xf::SgdOp::create(
      builder, loc, type, type, in.parameters, in.gradient, in.states[0],
      in.learningRate, in.step, in.scale, in.skip,
      APFloat(o.number("momentum")), APFloat(o.number("dampening")),
      o.number("nesterov") != 0, APFloat(o.number("weight_decay")),
      /*decoupled=*/false, in.decayEnd);
  return Results(op->getResults());
}

static Results buildAdagrad(mlir::OpBuilder &builder, mlir::Location loc,
                            const TrainingOptions &o,
                            const UpdateOperands &in) {
  Type type = in.parameters.getType();
  auto op = xf::AdagradOp::create(
      builder, loc, type, type, in.parameters, in.gradient, in.states[0],
      in.learningRate, in.step, in.scale, in.skip, APFloat(o.number("eps")),
      APFloat(o.number("lr_decay")), APFloat(o.number("weight_decay")),
      /*decoupled=*/false, in.decayEnd);
  return Results(op->getResults());
}

static Results buildAdadelta(mlir::OpBuilder &builder, mlir::Location loc,
                             const TrainingOptions &o,
                             const UpdateOperands &in) {
  Type type = in.parameters.getType();
  auto op = xf::AdadeltaOp::create(
      builder, loc, type, type, type, in.parameters, in.gradient, in.states[0],
      in.states[1], in.learningRate, in.step, in.scale, in.skip,
      APFloat(o.number("rho")), APFloat(o.number("eps")),
      APFloat(o.number("weight_decay")), /*decoupled=*/false, in.decayEnd);
  return Results(op->getResults());
}

static constexpr llvm::StringLiteral moments[] = {"moment1", "moment2"};
static constexpr llvm::StringLiteral momentum[] = {"momentum"};
static constexpr llvm::StringLiteral squareSum[] = {"square_sum"};
static constexpr llvm::StringLiteral squares[] = {"square_sum", "square_delta"};

static const std::vector<OptimizerRow> &optimizers() {
  static const std::vector<OptimizerRow> rows = {
      {"adam",
       moments,
       {{"beta1", 0.9}, {"beta2", 0.98}, {"eps", 1e-9}, {"weight_decay", 0}},
       buildAdam},
      {"adamw",
       moments,
       {{"beta1", 0.9}, {"beta2", 0.98}, {"eps", 1e-9}, {"weight_decay", 0.01}},
       buildAdam},
      {"sgd",
       momentum,
       {{"momentum", 0},
        {"dampening", 0},
        {"nesterov", 0},
        {"weight_decay", 0}},
       buildSgd},
      {"adagrad",
       squareSum,
       {{"eps", 1e-10}, {"lr_decay", 0}, {"weight_decay", 0}},
       buildAdagrad},
      {"adadelta",
       squares,
       {{"rho", 0.9}, {"eps", 1e-6}, {"weight_decay", 0}},
       buildAdadelta},
  };
  return rows;
}

static const OptimizerRow *findOptimizer(llvm::StringRef name) {
  for (const OptimizerRow &row : optimizers())
    if (row.name == name)
      return &row;
  return nullptr;
}

static std::optional<double> numberOf(mlir::Attribute attribute) {
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto number = llvm::dyn_cast<mlir::BoolAttr>(attribute))
    return number.getValue();
  if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute))
    return number.getInt();
  return std::nullopt;
}

/// Takes the entries of the dictionary beside the optimiser's name.
static mlir::LogicalResult readNumbers(mlir::ModuleOp module,
                                       mlir::DictionaryAttr dictionary,
                                       TrainingOptions &options) {
  for (mlir::NamedAttribute entry : dictionary) {
    std::string name = entry.getName().str();
    std::optional<double> number = numberOf(entry.getValue());
    if (name == "optimizer" && llvm::isa<mlir::StringAttr>(entry.getValue()))
      continue;
    if (name == "average" && number)
      options.average = *number != 0;
    else if (options.numbers.count(name) && number)
      options.numbers[name] = *number;
    else
      return module.emitError("expected a number of optimizer ")
             << options.optimizer << " in xf.training, found " << name << " = "
             << entry.getValue();
  }
  return mlir::success();
}

llvm::FailureOr<TrainingOptions> TrainingOptions::read(mlir::ModuleOp module) {
  TrainingOptions options;
  mlir::Attribute given = module->getAttr("xf.training");
  auto dictionary = llvm::dyn_cast_if_present<mlir::DictionaryAttr>(given);
  if (given && !dictionary) {
    module.emitError("expected xf.training to be a dictionary, found ")
        << given;
    return mlir::failure();
  }
  if (dictionary)
    if (auto name = dictionary.getAs<mlir::StringAttr>("optimizer"))
      options.optimizer = name.str();
  const OptimizerRow *row = findOptimizer(options.optimizer);
  if (!row) {
    std::string names;
    for (const OptimizerRow &known : optimizers())
      names += (names.empty() ? "" : ", ") + known.name.str();
    module.emitError("expected an optimizer of ")
        << names << ", found '" << options.optimizer << "'";
    return mlir::failure();
  }
  for (auto [name, value] : row->numbers)
    options.numbers[name] = value;
  if (dictionary && failed(readNumbers(module, dictionary, options)))
    return mlir::failure();
  return options;
}

llvm::ArrayRef<llvm::StringLiteral>
autodiff::statesOf(const TrainingOptions &options) {
  return findOptimizer(options.optimizer)->states;
}

llvm::SmallVector<Value> autodiff::buildUpdate(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               const TrainingOptions &options,
                                               const UpdateOperands &operands) {
  return findOptimizer(options.optimizer)
      ->build(builder, loc, options, operands);
}
