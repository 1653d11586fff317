//===- Interpreter.h - Evaluates IR of stages 0 to 4 ------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The judge of everything else: evaluates func.func and plan.entry with xf ops
// (through their references), the closed list of upstream ops, kernels and
// weights, in double. It is not tuned beyond memoised weights.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_INTERPRETER_H
#define DRAGOMAN_COMPILER_INTERPRET_INTERPRETER_H

#include "dialects/plan/Plan.h"
#include "dialects/xf/reference/Tensor.h"
#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <map>
#include <memory>

namespace dragoman::interpret {

enum class Mode {
  Wide,  ///< every float in double: judges accuracy
  Typed, ///< each op's result is rounded to its type: judges passes
};

struct Options {
  Mode mode = Mode::Typed;
  /// The folder that `#plan.file` paths are relative to.
  std::string modelFolder;
  /// Replaces the interpreter's own reading of weights with a source, if set.
  std::function<Result<Tensor>(plan::WeightOp)> weights;
  /// Sees every result of every op at function level, if set.
  std::function<void(mlir::Operation *, unsigned, const Tensor &)> trace;
};

/// States by name (without '@').
using StateMap = std::map<std::string, Tensor>;

class Evaluator;

/// Evaluates the functions of one module. The module must outlive the
/// interpreter and stay unchanged: weights and compiled bodies are kept.
class Interpreter {
public:
  explicit Interpreter(mlir::ModuleOp module, Options options = {});
  ~Interpreter();

  /// Runs func.func or plan.entry `entry`. `inputs` are the arguments without
  /// `plan.state`, in order; their dimensions unify with `xf.dims`. Arguments
  /// with `plan.state` are taken from `states`, and results with it replace
  /// them there if the run succeeds; the other results are returned.
  /// A failing xf.check makes the result a RuntimeError with the site's text.
  Result<std::vector<Tensor>> run(llvm::StringRef entry,
                                  std::vector<Tensor> inputs,
                                  StateMap *states = nullptr);

  /// Zero states for the module's plan.state ops, with the session's dims.
  Result<StateMap> makeStates(const std::map<std::string, int64_t> &dims);

  /// The value of a weight (memoised).
  Result<Tensor> weight(llvm::StringRef name);

private:
  mlir::ModuleOp module;
  std::unique_ptr<Evaluator> evaluator;
};

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_INTERPRETER_H
