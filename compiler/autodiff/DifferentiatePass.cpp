//===- DifferentiatePass.cpp - The training entries from @loss ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/autodiff/Differentiate.h"
#include "compiler/autodiff/LossRewrites.h"
#include "compiler/autodiff/Optimizers.h"
#include "compiler/autodiff/Passes.h"
#include "compiler/autodiff/TrainingEntry.h"
#include "dialects/plan/Parameters.h"
#include "dialects/upstream/Gradients.h"
#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman::autodiff {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "compiler/autodiff/Passes.h.inc"
} // namespace dragoman::autodiff

using namespace dragoman;
using namespace dragoman::autodiff;
using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// The scalars of an update, tensor<f32> but for the step.
struct UpdateInputs {
  Value learningRate, step, inverseCount, clip;
};

class TrainingBuilder {
public:
  TrainingBuilder(mlir::ModuleOp module, mlir::func::FuncOp loss,
                  TrainingOptions options,
                  std::vector<ParameterDesc> parameters)
      : module(module), loss(loss), options(std::move(options)),
        parameters(std::move(parameters)), symbols(module),
        b(module.getContext()) {}

  LogicalResult build();

private:
  LogicalResult verify();
  void makeStates();
  plan::StateOp makeState(llvm::StringRef name);
  TrainingEntry copyOfLoss(llvm::StringRef name);
  /// Replaces loads of parameters by parts of the flat tensor; one value per
  /// parameter, null where the function does not read it.
  std::vector<Value> bindParameters(TrainingEntry &entry, Value flat);
  /// The gradient of the entry's first result, flat.
  llvm::FailureOr<Value> buildGradient(TrainingEntry &entry,
                                       llvm::ArrayRef<Value> values);
  UpdateInputs updateInputs(TrainingEntry &entry);
  void buildUpdate(TrainingEntry &entry, const UpdateInputs &inputs, Value flat,
                   Value gradient);
  LogicalResult makeBackward();
  LogicalResult makeStep();
  void makeLoss();
  void makeUpdate();
  void makeAverage();

  mlir::ModuleOp module;
  mlir::func::FuncOp loss;
  TrainingOptions options;
  std::vector<ParameterDesc> parameters;
  mlir::SymbolTable symbols;
  mlir::OpBuilder b;
  int64_t size = 0, decayEnd = 0; ///< in elements of a flat state
  plan::StateOp parameterState, gradientState, averageState;
  llvm::SmallVector<plan::StateOp> moments;
};

} // namespace

LogicalResult TrainingBuilder::verify() {
  for (mlir::Type type : loss.getResultTypes())
    if (type != RankedTensorType::get({}, b.getF32Type()))
      return loss.emitError("expected results of tensor<f32>, found ") << type;
  if (loss.getNumResults() == 0)
    return loss.emitError("expected the loss as the first result, found none");
  if (parameters.empty())
    return loss.emitError("expected trainable weights, found none");
  for (const char *name : {"backward", "update", "step", "average"})
    if (mlir::Operation *other = symbols.lookup(name))
      return other->emitError("expected no @")
             << name << " beside the @loss that it is made from";
  for (const ParameterDesc &parameter : parameters) {
    auto weight = symbols.lookup<plan::WeightOp>(parameter.name);
    auto type = llvm::cast<RankedTensorType>(weight.getType());
    if (!type.getElementType().isF32())
      return weight.emitError("expected a trainable weight of f32, found ")
             << type;
  }
  return mlir::success();
}

plan::StateOp TrainingBuilder::makeState(llvm::StringRef name) {
  auto state = plan::StateOp::create(
      b, module.getLoc(), name, RankedTensorType::get({size}, b.getF32Type()),
      b.getStrArrayAttr({std::to_string(size)}), "rows", /*row_axis=*/0,
      /*append_axis=*/0);
  symbols.insert(state);
  return state;
}

void TrainingBuilder::makeStates() {
  b.setInsertionPoint(loss);
  parameterState = makeState("parameters");
  gradientState = makeState("gradients");
  for (llvm::StringRef name : statesOf(options))
    moments.push_back(makeState(name));
  if (options.average)
    averageState = makeState("averages");
}

TrainingEntry TrainingBuilder::copyOfLoss(llvm::StringRef name) {
  auto copy = llvm::cast<mlir::func::FuncOp>(b.clone(*loss));
  copy.setSymName(name);
  return TrainingEntry(copy);
}

std::vector<Value> TrainingBuilder::bindParameters(TrainingEntry &entry,
                                                   Value flat) {
  llvm::StringMap<llvm::SmallVector<plan::LoadOp>> loads;
  entry.function.walk(
      [&](plan::LoadOp load) { loads[load.getWeight()].push_back(load); });
  mlir::OpBuilder::InsertionGuard guard(entry.builder);
  entry.builder.setInsertionPointToStart(&entry.function.getBody().front());
  mlir::Location loc = loss.getLoc();
  std::vector<Value> values;
  llvm::SmallVector<plan::LoadOp> dead; // one may stand at the builder
  for (const ParameterDesc &parameter : parameters) {
    auto found = loads.find(parameter.name);
    if (found == loads.end()) {
      values.push_back(nullptr);
      continue;
    }
    auto index = [&](int64_t value) -> llvm::SmallVector<mlir::OpFoldResult> {
      return {b.getIndexAttr(value)};
    };
    Value value = mlir::tensor::ExtractSliceOp::create(
        entry.builder, loc, flat, index(parameter.offset),
        index(parameter.elements()), index(1));
    value = reshaped(entry.builder, loc, value, parameter.shape);
    values.push_back(value);
    for (plan::LoadOp load : found->second) {
      load.getResult().replaceAllUsesWith(value);
      dead.push_back(load);
    }
  }
  for (plan::LoadOp load : dead)
    load.erase();
  return values;
}

llvm::FailureOr<Value>
TrainingBuilder::buildGradient(TrainingEntry &entry,
                               llvm::ArrayRef<Value> values) {
  mlir::Block &block = entry.function.getBody().front();
  mlir::Location loc = loss.getLoc();
  Value output = block.getTerminator()->getOperand(0);
  Value one = mlir::arith::ConstantOp::create(
      entry.builder, loc,
      mlir::DenseElementsAttr::get(
          llvm::cast<RankedTensorType>(output.getType()), 1.0f));
  llvm::SmallVector<Value> wanted;
  for (Value value : values)
    if (value)
      wanted.push_back(value);
  llvm::FailureOr<llvm::SmallVector<Value>> gradients =
      buildReverse(entry.builder, block, output, one, wanted);
  if (failed(gradients))
    return mlir::failure();
  llvm::SmallVector<Value> parts;
  size_t next = 0;
  for (auto [parameter, value] : llvm::zip(parameters, values)) {
    Value gradient = value ? (*gradients)[next++] : Value();
    auto flat = RankedTensorType::get({parameter.elements()}, b.getF32Type());
    if (gradient)
      parts.push_back(reshaped(entry.builder, loc, gradient, flat.getShape()));
    else
      parts.push_back(mlir::arith::ConstantOp::create(
          entry.builder, loc, mlir::DenseElementsAttr::get(flat, 0.0f)));
  }
  return mlir::tensor::ConcatOp::create(entry.builder, loc, 0, parts)
      .getResult();
}

void TrainingBuilder::makeLoss() {
  TrainingEntry entry(loss);
  removeDropout(loss);
  bindParameters(entry, entry.state(parameterState));
  entry.finish();
}

LogicalResult TrainingBuilder::makeBackward() {
  TrainingEntry entry = copyOfLoss("backward");
  splitActivations(entry.function);
  std::vector<Value> values =
      bindParameters(entry, entry.state(parameterState));
  Value before = entry.state(gradientState);
  llvm::FailureOr<Value> gradient = buildGradient(entry, values);
  if (failed(gradient))
    return mlir::failure();
  entry.setState(gradientState,
                 sumOf(entry.builder, loss.getLoc(), before, *gradient));
  entry.finish();
  mergeGradientPairs(entry.function);
  return mlir::success();
}

UpdateInputs TrainingBuilder::updateInputs(TrainingEntry &entry) {
  mlir::Type f32 = b.getF32Type();
  UpdateInputs inputs;
  inputs.learningRate = entry.input("learning_rate", f32, "prob");
  inputs.step = entry.input("step", b.getI64Type(), "range(1,9)");
  inputs.inverseCount = entry.input("inv_count", f32, "prob");
  inputs.clip = entry.input("clip", f32, "prob");
  return inputs;
}

/// Adds the norm, the new parameters and moments to the entry.
void TrainingBuilder::buildUpdate(TrainingEntry &entry,
                                  const UpdateInputs &inputs, Value flat,
                                  Value gradient) {
  using xf::ScalarBuilder;
  mlir::Location loc = loss.getLoc();
  xf::TensorBuilder tensors(entry.builder, loc);
  mlir::Type f32 = b.getF32Type();
  auto scalars = [&](llvm::ArrayRef<Value> values, mlir::Type element,
                     xf::GenericBody body) {
    llvm::SmallVector<xf::GenericInput> in;
    for (Value value : values)
      in.push_back(tensors.onLoops(value, {}, 0));
    return tensors.elementwise(in, {}, element, body);
  };
  Value length = xf::GlobalNormOp::create(entry.builder, loc,
                                          RankedTensorType::get({1}, f32),
                                          gradient, llvm::ArrayRef<int64_t>());
  length = reshaped(entry.builder, loc, length, {});
  Value norm = scalars({length, inputs.inverseCount}, f32,
                       [](ScalarBuilder &scalar, mlir::ValueRange in) {
                         return scalar.multiply(in[0], in[1]);
                       });
  // clip > 0 and norm > clip: the scaled gradient gets the length clip.
  Value scale =
      scalars({norm, inputs.inverseCount, inputs.clip}, f32,
              [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                Value zero = scalar.constant(f32, 0.0);
                Value clips = scalar.both(scalar.greater(in[2], zero),
                                          scalar.greater(in[0], in[2]));
                Value shorter =
                    scalar.multiply(in[1], scalar.divide(in[2], in[0]));
                return scalar.select(clips, shorter, in[1]);
              });
  // Infinity and NaN minus themselves are NaN, which equals nothing.
  Value skip = scalars(
      {norm}, b.getI1Type(), [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return mlir::arith::CmpFOp::create(
                   scalar.builder, loc, mlir::arith::CmpFPredicate::UNE,
                   scalar.subtract(in[0], in[0]), scalar.constant(f32, 0.0))
            .getResult();
      });
  UpdateOperands operands;
  operands.parameters = flat;
  operands.gradient = gradient;
  for (plan::StateOp moment : moments)
    operands.states.push_back(entry.state(moment));
  operands.learningRate = inputs.learningRate;
  operands.step = inputs.step;
  operands.scale = scale;
  operands.skip = skip;
  operands.decayEnd = decayEnd;
  llvm::SmallVector<Value> updated =
      autodiff::buildUpdate(entry.builder, loc, options, operands);
  entry.output("gradient_norm", norm);
  entry.setState(parameterState, updated[0]);
  for (auto [moment, value] :
       llvm::zip(moments, llvm::ArrayRef(updated).drop_front()))
    entry.setState(moment, value);
}

void TrainingBuilder::makeUpdate() {
  TrainingEntry entry(b, "update");
  UpdateInputs inputs = updateInputs(entry);
  Value flat = entry.state(parameterState);
  Value gradient = entry.state(gradientState);
  buildUpdate(entry, inputs, flat, gradient);
  Value zero = xf::ScalarBuilder(entry.builder, loss.getLoc())
                   .constant(b.getF32Type(), 0.0);
  entry.setState(
      gradientState,
      mlir::linalg::FillOp::create(entry.builder, loss.getLoc(), zero, gradient)
          .getResult(0));
  entry.finish();
}

LogicalResult TrainingBuilder::makeStep() {
  TrainingEntry entry = copyOfLoss("step");
  splitActivations(entry.function);
  UpdateInputs inputs = updateInputs(entry);
  Value flat = entry.state(parameterState);
  std::vector<Value> values = bindParameters(entry, flat);
  llvm::FailureOr<Value> gradient = buildGradient(entry, values);
  if (failed(gradient))
    return mlir::failure();
  buildUpdate(entry, inputs, flat, *gradient);
  entry.finish();
  mergeGradientPairs(entry.function);
  return mlir::success();
}

void TrainingBuilder::makeAverage() {
  TrainingEntry entry(b, "average");
  mlir::Location loc = loss.getLoc();
  Value tau = entry.input("tau", b.getF32Type(), "prob");
  Value now = entry.state(parameterState), mean = entry.state(averageState);
  xf::TensorBuilder tensors(entry.builder, loc);
  auto identity = b.getMultiDimIdentityMap(1);
  Value next = tensors.elementwise(
      {{mean, identity}, {now, identity}, tensors.onLoops(tau, {}, 1)},
      tensors.sizes(now), b.getF32Type(),
      [&](xf::ScalarBuilder &scalar, mlir::ValueRange in) {
        Value one = scalar.constant(b.getF32Type(), 1.0);
        return scalar.add(scalar.multiply(scalar.subtract(one, in[2]), in[0]),
                          scalar.multiply(in[2], in[1]));
      });
  entry.setState(averageState, next);
  entry.finish();
}

LogicalResult TrainingBuilder::build() {
  if (failed(verify()))
    return mlir::failure();
  for (const ParameterDesc &parameter : parameters) {
    size += parameter.elements();
    if (parameter.decay)
      decayEnd = size;
  }
  makeStates();
  b.setInsertionPointAfter(loss);
  if (failed(makeBackward()))
    return mlir::failure();
  makeUpdate();
  if (failed(makeStep()))
    return mlir::failure();
  if (options.average)
    makeAverage();
  makeLoss();
  return mlir::success();
}

namespace {

struct DifferentiatePass
    : autodiff::impl::DifferentiatePassBase<DifferentiatePass> {
  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    auto loss = module.lookupSymbol<mlir::func::FuncOp>("loss");
    if (!loss || !loss.isPublic() || loss.isExternal())
      return;
    llvm::FailureOr<TrainingOptions> options = TrainingOptions::read(module);
    if (failed(options))
      return signalPassFailure();
    TrainingBuilder training(module, loss, *options, listParameters(module));
    if (failed(training.build()))
      signalPassFailure();
  }
};

} // namespace
