//===- RunFunctions.cpp - Evaluates the op tests of a module --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/RunFunctions.h"

#include "compiler/interpret/Compare.h"
#include "compiler/interpret/Evaluator.h"
#include "dialects/check/Check.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dragoman::interpret {

static Status evalCheck(Frame &frame, mlir::Operation *op,
                        Tolerance tolerance) {
  const Tensor &actual = frame.get(op->getOperand(0));
  const Tensor &expected = frame.get(op->getOperand(1));
  if (actual.shape() != expected.shape()) {
    op->emitOpError("expected ")
        << expected.typeText() << ", found " << actual.typeText();
    return Status::ok();
  }
  if (std::optional<Difference> difference =
          firstDifference(actual, expected, tolerance))
    op->emitOpError(differenceText(*difference, actual.shape(), tolerance));
  return Status::ok();
}

static Status evalEqual(Evaluator &, Frame &frame, mlir::Operation *op) {
  return evalCheck(frame, op, {});
}

static Status evalClose(Evaluator &, Frame &frame, mlir::Operation *op) {
  auto close = llvm::cast<check::CloseOp>(op);
  Tolerance tolerance =
      ToleranceTable::builtIn().of(frame.get(close.getActual()).element(),
                                   classOf(close.getActual()));
  if (close.getAtol())
    tolerance.atol = close.getAtol()->convertToDouble();
  if (close.getRtol())
    tolerance.rtol = close.getRtol()->convertToDouble();
  return evalCheck(frame, op, tolerance);
}

void registerCheckOps(Evaluator::HandlerTable &handlers) {
  handlers["check.equal"] = evalEqual;
  handlers["check.close"] = evalClose;
}

/// Runs one function; errors are emitted.
static void runFunction(Interpreter &interpreter, mlir::func::FuncOp function) {
  Result<std::vector<Tensor>> results =
      interpreter.run(function.getSymName(), {});
  auto fails = function->getAttrOfType<mlir::StringAttr>("check.fails");
  std::string error = results ? std::string() : results.status().message();
  if (!fails && !results) {
    function.emitError("@")
        << function.getSymName() << ": " << results.status().toString();
  } else if (fails && results) {
    function.emitError("expected the run of @")
        << function.getSymName() << " to fail with '" << fails.getValue()
        << "', found no error";
  } else if (fails && fails.getValue() != error) {
    function.emitError("expected the run of @")
        << function.getSymName() << " to fail with '" << fails.getValue()
        << "', found '" << error << "'";
  }
}

mlir::LogicalResult runFunctions(mlir::ModuleOp module, Options options) {
  bool failed = false;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        failed |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return mlir::failure(); // shown by the next handler
      });
  Interpreter interpreter(module, std::move(options));
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        function.getNumArguments() == 0)
      runFunction(interpreter, function);
  return mlir::failure(failed);
}

namespace {
class RunFunctionsPass
    : public mlir::PassWrapper<RunFunctionsPass,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  explicit RunFunctionsPass(Options options) : options(std::move(options)) {}
  llvm::StringRef getName() const override { return "RunFunctions"; }
  void runOnOperation() override {
    if (mlir::failed(runFunctions(getOperation(), options)))
      signalPassFailure();
  }

private:
  Options options;
};
} // namespace

std::unique_ptr<mlir::Pass> createRunFunctionsPass(Options options) {
  return std::make_unique<RunFunctionsPass>(std::move(options));
}

} // namespace dragoman::interpret
