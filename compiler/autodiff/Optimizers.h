//===- Optimizers.h - The optimisers that a module may ask for ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_AUTODIFF_OPTIMIZERS_H
#define DRAGOMAN_COMPILER_AUTODIFF_OPTIMIZERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace dragoman::autodiff {

/// The module attribute `xf.training`, a dictionary: `optimizer`, a name, and
/// the numbers that this optimiser takes; what is absent has its default.
struct TrainingOptions {
  std::string optimizer = "adam";
  std::map<std::string, double> numbers;
  bool average = true; ///< there is a state @averages

  double number(llvm::StringRef name) const { return numbers.at(name.str()); }
  /// Reads the attribute; an error says what was expected and found.
  static llvm::FailureOr<TrainingOptions> read(mlir::ModuleOp module);
};

/// The optimiser's states beside the parameters, in the order of its operands:
/// "moment1", "moment2"; "momentum"; ...
llvm::ArrayRef<llvm::StringLiteral> statesOf(const TrainingOptions &options);

/// What one update of all parameters takes: flat tensors f32[P] and scalars.
struct UpdateOperands {
  mlir::Value parameters, gradient;
  llvm::SmallVector<mlir::Value> states;
  mlir::Value learningRate, step, scale, skip;
  int64_t decayEnd = 0; ///< weight decay applies to the elements before it
};

/// The new parameters and states.
llvm::SmallVector<mlir::Value> buildUpdate(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           const TrainingOptions &options,
                                           const UpdateOperands &operands);

} // namespace dragoman::autodiff

#endif // DRAGOMAN_COMPILER_AUTODIFF_OPTIMIZERS_H
