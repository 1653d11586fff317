//===- CheckGradients.cpp - Gradients against finite differences ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/CheckGradients.h"

#include "compiler/autodiff/Differentiate.h"
#include "compiler/interpret/Compare.h"
#include "compiler/interpret/SeededInputs.h"
#include "dialects/plan/NormalWeights.h"
#include "dialects/upstream/Gradients.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"

#include <cmath>

namespace dragoman::interpret {

namespace {

constexpr Tolerance tolerance{/*atol=*/1e-5, /*rtol=*/1e-3};

/// One function in one shape class.
class GradientCase {
public:
  GradientCase(mlir::func::FuncOp function,
               const autodiff::GradientRequest &request,
               const GradientOptions &options)
      : function(function), request(request), options(options),
        interpreter(function->getParentOfType<mlir::ModuleOp>(),
                    {Mode::Wide, options.modelFolder, {}, {}}) {
    if (auto given = function->getAttrOfType<mlir::FloatAttr>("check.step"))
      step = given.getValueAsDouble();
  }

  /// Errors are emitted; false if there was one.
  bool run(llvm::StringRef gradient, const ShapeClass &shapes);

private:
  bool fail(const Status &status);
  bool seedCotangents();
  /// L at `arguments`.
  Result<double> loss(const std::vector<Tensor> &arguments);
  bool checkArgument(unsigned number, const Tensor &gradient);
  bool atKink(unsigned number, double value);

  mlir::func::FuncOp function;
  const autodiff::GradientRequest &request;
  const GradientOptions &options;
  Interpreter interpreter;
  double step = 1e-6;
  std::string where;
  std::vector<Tensor> arguments, cotangents;
};

} // namespace

bool GradientCase::fail(const Status &status) {
  function.emitError("@") << function.getSymName() << where << ": "
                          << status.toString();
  return false;
}

/// One cotangent per result in L; elements that are not finite have none.
bool GradientCase::seedCotangents() {
  Result<std::vector<Tensor>> results =
      interpreter.run(function.getSymName(), arguments);
  if (!results)
    return fail(results.status());
  cotangents.clear();
  for (auto [number, result] : llvm::enumerate(*results)) {
    if (!request.results[number])
      continue;
    Tensor cotangent(result.element(), result.shape());
    uint64_t stream = plan::splitMix(options.seed, 1000 + number);
    for (int64_t i = 0; i < result.elements(); ++i)
      cotangent.mutableFloats()[i] =
          std::isfinite(result.at(i)) ? plan::normalDraw(stream, 1.0, i) : 0.0;
    cotangents.push_back(std::move(cotangent));
  }
  return true;
}

Result<double> GradientCase::loss(const std::vector<Tensor> &at) {
  Result<std::vector<Tensor>> results =
      interpreter.run(function.getSymName(), at);
  if (!results)
    return results.status();
  double sum = 0;
  size_t next = 0;
  for (auto [number, result] : llvm::enumerate(*results)) {
    if (!request.results[number])
      continue;
    const Tensor &cotangent = cotangents[next++];
    for (int64_t i = 0; i < result.elements(); ++i)
      if (cotangent.at(i) != 0)
        sum += cotangent.at(i) * result.at(i);
  }
  return sum;
}

bool GradientCase::atKink(unsigned number, double value) {
  auto kinks =
      function.getArgAttrOfType<mlir::ArrayAttr>(number, "check.kinks");
  return kinks &&
         llvm::any_of(
             kinks.getAsRange<mlir::FloatAttr>(), [&](mlir::FloatAttr kink) {
               return std::fabs(value - kink.getValueAsDouble()) <= 1000 * step;
             });
}

bool GradientCase::checkArgument(unsigned number, const Tensor &gradient) {
  std::vector<Tensor> moved = arguments;
  Tensor expected(gradient.element(), gradient.shape());
  Tensor found = gradient;
  for (int64_t i = 0; i < gradient.elements(); ++i) {
    double value = arguments[number].at(i), sides[2];
    if (atKink(number, value)) {
      found.mutableFloats()[i] = 0;
      continue;
    }
    for (int side : {0, 1}) {
      moved[number].mutableFloats()[i] = side ? value + step : value - step;
      Result<double> at = loss(moved);
      if (!at)
        return fail(at.status());
      sides[side] = *at;
    }
    moved[number].mutableFloats()[i] = value;
    expected.mutableFloats()[i] = (sides[1] - sides[0]) / (2 * step);
  }
  std::optional<Difference> difference =
      firstDifference(found, expected, tolerance);
  if (!difference)
    return true;
  function.emitError("@") << function.getSymName() << where
                          << ": gradient of argument " << number << ": "
                          << differenceText(*difference, gradient.shape(),
                                            tolerance);
  return false;
}

bool GradientCase::run(llvm::StringRef gradient, const ShapeClass &shapes) {
  where = " (" + shapes.text(function) + ")";
  Result<std::vector<Tensor>> seeded =
      seededArguments(function, shapes, options.seed);
  if (!seeded)
    return fail(seeded.status());
  arguments = std::move(*seeded);
  if (!seedCotangents())
    return false;
  std::vector<Tensor> inputs = arguments;
  inputs.insert(inputs.end(), cotangents.begin(), cotangents.end());
  Result<std::vector<Tensor>> gradients =
      interpreter.run(gradient, std::move(inputs));
  if (!gradients)
    return fail(gradients.status());
  size_t next = 0;
  bool right = true;
  for (auto [number, flag] : llvm::enumerate(request.arguments))
    if (flag)
      right &= checkArgument(number, (*gradients)[next++]);
  return right;
}

static autodiff::GradientRequest requestOf(mlir::func::FuncOp function) {
  autodiff::GradientRequest request;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    request.arguments.push_back(isDifferentiable(function.getArgument(i)) &&
                                !function.getArgAttr(i, "check.fixed"));
  mlir::Operation *terminator = function.getBody().front().getTerminator();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    request.results.push_back(isDifferentiable(terminator->getOperand(i)) &&
                              !function.getResultAttr(i, "check.fixed"));
  return request;
}

/// Checks one function of a module made for it; errors are emitted.
static bool checkFunction(mlir::func::FuncOp function,
                          const GradientOptions &options) {
  // A state is an argument and a result like any other.
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.removeArgAttr(i, "plan.state");
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.removeResultAttr(
        i, mlir::StringAttr::get(function.getContext(), "plan.state"));
  autodiff::GradientRequest request = requestOf(function);
  llvm::FailureOr<mlir::func::FuncOp> gradient =
      autodiff::differentiateFunction(function, request);
  if (failed(gradient))
    return false;
  if (failed(mlir::verify(*gradient)))
    return false;
  GradientCase checked(function, request, options);
  bool isStatic =
      llvm::all_of(function.getArgumentTypes(), [](mlir::Type type) {
        auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
        return !tensor || tensor.hasStaticShape();
      });
  for (unsigned number = isStatic ? 1 : 0; number < 2; ++number)
    if (!checked.run(gradient->getSymName(), ShapeClass(number)))
      return false;
  return true;
}

namespace {
class CheckGradientsPass
    : public mlir::PassWrapper<CheckGradientsPass,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  explicit CheckGradientsPass(GradientOptions options)
      : options(std::move(options)) {}
  llvm::StringRef getName() const override { return "CheckGradients"; }
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<mlir::arith::ArithDialect, mlir::linalg::LinalgDialect,
                    mlir::math::MathDialect, mlir::tensor::TensorDialect,
                    xf::XfDialect>();
  }
  void runOnOperation() override {
    bool right = true;
    mlir::OwningOpRef<mlir::ModuleOp> copy = getOperation().clone();
    for (auto function :
         llvm::make_early_inc_range(copy->getOps<mlir::func::FuncOp>()))
      if (function.isPublic() && !function.isExternal() &&
          function.getNumArguments() > 0)
        right &= checkFunction(function, options);
    if (!right)
      signalPassFailure();
  }

private:
  GradientOptions options;
};
} // namespace

std::unique_ptr<mlir::Pass> createCheckGradientsPass(GradientOptions options) {
  return std::make_unique<CheckGradientsPass>(std::move(options));
}

} // namespace dragoman::interpret
