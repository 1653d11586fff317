//===- TrainingEntry.h - A function with states under construction --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_AUTODIFF_TRAININGENTRY_H
#define DRAGOMAN_COMPILER_AUTODIFF_TRAININGENTRY_H

#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dragoman::autodiff {

/// Adds arguments, results and states to a function. New ops belong in front of
/// the terminator, where `builder` stands.
class TrainingEntry {
public:
  /// A function of its own without arguments, at the builder.
  TrainingEntry(mlir::OpBuilder &module, llvm::StringRef name);
  /// A function that exists; what it returns comes first.
  explicit TrainingEntry(mlir::func::FuncOp function);

  /// A scalar argument tensor<element>.
  mlir::Value input(llvm::StringRef name, mlir::Type element,
                    llvm::StringRef domain);
  void output(llvm::StringRef name, mlir::Value value);
  /// The value of a state at the start of the run.
  mlir::Value state(plan::StateOp state);
  void setState(plan::StateOp state, mlir::Value value);
  /// Writes the function's type and attributes.
  void finish();

  mlir::func::FuncOp function;
  mlir::OpBuilder builder;

private:
  void readAttributes();
  mlir::Value argument(mlir::Type type,
                       llvm::ArrayRef<mlir::NamedAttribute> attributes);

  llvm::SmallVector<mlir::Attribute> argumentAttributes, resultAttributes;
  llvm::SmallVector<mlir::Value> results;
};

} // namespace dragoman::autodiff

#endif // DRAGOMAN_COMPILER_AUTODIFF_TRAININGENTRY_H
