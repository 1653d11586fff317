//===- WeightWriter.h - The bytes of a model's weights ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates plan.weight ops once, one at a time, and hands out their stored
// bytes: sources are mapped files or random streams, derived weights run their
// initialiser here, and layout panel16 is packed last. So an artifact of any
// size is written with the memory of its largest weight and what it follows
// from.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_EMIT_WEIGHTWRITER_H
#define DRAGOMAN_COMPILER_EMIT_WEIGHTWRITER_H

#include "dialects/plan/Plan.h"
#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dragoman {

class MappedFile;

/// Dense row-major elements of a static tensor type, as stored: i1 is a byte.
struct WeightValue {
  mlir::RankedTensorType type;
  std::shared_ptr<const std::vector<char>> owned; ///< null if mapped
  const char *data = nullptr;

  int64_t bytes() const;
};

/// Reads and computes the weights of one module. The module must outlive the
/// writer and keep its weights.
class WeightWriter {
public:
  /// `modelFolder` is what #plan.file paths are relative to.
  WeightWriter(mlir::ModuleOp module, std::string modelFolder);
  ~WeightWriter();

  using Sink = std::function<Status(const void *data, size_t bytes)>;

  /// Hands the stored bytes of `weight` to `sink`, in its layout. Errors name
  /// the weight, and the file or the op that could not be evaluated.
  Status write(plan::WeightOp weight, const Sink &sink);

  /// The weight's value in layout "rows".
  Result<WeightValue> evaluate(plan::WeightOp weight);

private:
  Result<WeightValue> evaluateSource(plan::WeightOp weight);
  Result<WeightValue> evaluateInit(mlir::Operation *function);
  Result<WeightValue> evaluateOp(mlir::Operation &op,
                                 std::map<void *, WeightValue> &values);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  std::string modelFolder;
  std::map<std::string, std::shared_ptr<MappedFile>> files;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_EMIT_WEIGHTWRITER_H
