//===- Evaluator.h - The interpreter's state and handlers -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to compiler/interpret: one handler per op name, in one table that the
// register functions fill (one per file Eval*.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_EVALUATOR_H
#define DRAGOMAN_COMPILER_INTERPRET_EVALUATOR_H

#include "compiler/interpret/Interpreter.h"
#include "compiler/interpret/ScalarProgram.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

namespace dragoman::interpret {

/// "file.mlir:12:3", or the name of a named location.
std::string locationText(mlir::Location location);

/// The tensor of a constant's attribute.
Result<Tensor> constantTensor(mlir::Attribute attribute);

/// Named dimensions and their sizes.
using DimMap = std::map<std::string, int64_t>;

/// The values of one function call. Regions of scf ops share their function's.
struct Frame {
  llvm::DenseMap<mlir::Value, Tensor> values;
  DimMap dims; ///< of entries and kernels: name -> size

  const Tensor &get(mlir::Value value) const {
    auto found = values.find(value);
    assert(found != values.end() && "a value is used after its definition");
    return found->second;
  }
  int64_t integer(mlir::Value value) const { return get(value).integers()[0]; }
  /// The sizes of a mixed list of attributes and index values.
  std::vector<int64_t> sizes(llvm::ArrayRef<mlir::OpFoldResult> mixed) const;
};

class Evaluator {
public:
  using Handler = Status (*)(Evaluator &, Frame &, mlir::Operation *);
  using HandlerTable = llvm::StringMap<Handler>;

  Evaluator(mlir::ModuleOp module, Options options);

  /// Runs a function's body; `dims` are the dimensions known from outside.
  Result<std::vector<Tensor>> call(mlir::FunctionOpInterface function,
                                   std::vector<Tensor> arguments,
                                   DimMap dims = {});
  /// Evaluates a block in `frame`; its terminator's operands go to `yielded`.
  Status block(Frame &frame, mlir::Block &block, std::vector<Tensor> &yielded);
  /// Stores a result, rounded in typed mode, and shows it to the trace.
  Status define(Frame &frame, mlir::Operation *op, unsigned result,
                Tensor tensor);
  /// The compiled form of a scalar block, bound to the frame's values.
  Result<ScalarProgram *> program(Frame &frame, mlir::Block &block);
  Result<Tensor> weight(plan::WeightOp weight);
  mlir::Operation *symbol(llvm::StringRef name) const {
    return mlir::SymbolTable::lookupSymbolIn(module, name);
  }
  /// Values whose last use in their block is `op`.
  const std::vector<mlir::Value> &lastUses(mlir::Operation *op);
  bool typed() const { return options.mode == Mode::Typed; }

  /// Keeps the failing check of the lowest (site, index).
  void recordCheck(mlir::Operation *op, int64_t site, int64_t index,
                   int64_t value, int64_t bound);
  /// The failing check as an error, or ok; forgets it.
  Status takeCheck();

  mlir::ModuleOp module;
  Options options;

private:
  Result<Tensor> computeWeight(plan::WeightOp weight);
  struct CheckRecord {
    mlir::Operation *op;
    int64_t site, index, value, bound;
  };
  HandlerTable handlers;
  std::optional<CheckRecord> check;
  llvm::StringMap<Tensor> weights;
  llvm::DenseMap<mlir::Block *, std::unique_ptr<ScalarProgram>> programs;
  llvm::DenseMap<mlir::Operation *, std::vector<mlir::Value>> deaths;
  llvm::DenseSet<mlir::Block *> analysed;
  unsigned depth = 0;
};

void registerCheckOps(Evaluator::HandlerTable &handlers);
void registerControlOps(Evaluator::HandlerTable &handlers);
void registerLinalgOps(Evaluator::HandlerTable &handlers);
void registerPlanOps(Evaluator::HandlerTable &handlers);
void registerTensorOps(Evaluator::HandlerTable &handlers);
void registerXfOps(Evaluator::HandlerTable &handlers);

/// Binds the names of `xf.dims` on the arguments to the tensors' sizes (names
/// in `dims` are given) and checks every expression; an error names the
/// argument.
Status bindDims(mlir::FunctionOpInterface function,
                llvm::ArrayRef<Tensor> arguments, DimMap &dims);

/// Reads a `#plan.file` or `#plan.normal` weight.
Result<Tensor> readWeight(plan::WeightOp weight, const std::string &folder);

/// Evaluates an elementwise arith or math op on scalars or tensors.
Status evalElementwise(Evaluator &evaluator, Frame &frame, mlir::Operation *op,
                       const ScalarOp &scalar);

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_EVALUATOR_H
