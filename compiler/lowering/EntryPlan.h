//===- EntryPlan.h - Which memory the values of an entry share --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to plan-assign-slots. A value of an entry lies in a memory: its own,
// that of a value that it takes over, or a part of one.
//  - A view and a dense slice lie in the memory of their operand.
//  - A kernel's result with plan.alias takes over the argument's memory.
//  - The pieces of a concat and what an insert_slice inserts are computed where
//    they belong, if a kernel computes them and nothing else places them.
//  - A loop's values take over the memory of their inits, and what the body
//    gives the next iteration is computed there.
// Where that cannot be, a copy is planned. ProveVersions.h then proves that
// every command reads the values that it means.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_ENTRYPLAN_H
#define DRAGOMAN_COMPILER_LOWERING_ENTRYPLAN_H

#include "dialects/plan/Plan.h"
#include "dialects/xf/DimAnalysis.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman::lowering {

/// Bytes of one memory from `offset` on.
struct Location {
  unsigned memory = 0;
  DimExpr offset, bytes;
};

/// The bytes that a value or several in turn lie in.
struct Memory {
  /// "input", "output", "state" or "weight"; empty: of the arena.
  llvm::StringRef space;
  int64_t index = 0;       ///< of an input or output
  mlir::StringAttr symbol; ///< of a state or weight
  DimExpr bytes;           ///< in the entry's dimensions alone

  bool isReadOnly() const { return space == "input" || space == "weight"; }
};

/// What the entry does, in order. Joins and inserts cost nothing: their pieces
/// are in place by then.
struct PlannedCommand {
  enum Kind { Dispatch, Copy, Fill, Join, Insert, LoopBegin, LoopEnd, Return };
  Kind kind;
  mlir::Operation *op;
  mlir::Value value; ///< Copy: what is copied, if it is a value
  Location from, to; ///< Copy: both; Fill: to
};

class EntryPlan {
public:
  EntryPlan(plan::EntryOp entry, mlir::SymbolTable &symbols)
      : entry(entry), symbols(symbols) {}

  /// Fills memories and commands. Emits an error and fails where a state or
  /// what a kernel updates in place would have to be copied.
  llvm::LogicalResult build();

  Location locate(mlir::Value value);
  /// The value behind views and dense slices.
  mlir::Value behindViews(mlir::Value value);
  /// The argument whose memory result `number` of a dispatch takes over, or
  /// null.
  mlir::OpOperand *updatedOperand(mlir::OpResult result);
  /// The bytes of a value, in the dimensions of its loops too.
  DimExpr bytesOf(mlir::Value value);

  plan::EntryOp entry;
  std::vector<Memory> memories;
  std::vector<PlannedCommand> commands;

private:
  void placeBorder();
  llvm::LogicalResult visit(mlir::Block &block);
  llvm::LogicalResult visitDispatch(plan::DispatchOp dispatch);
  void visitConcat(mlir::tensor::ConcatOp concat);
  void visitInsert(mlir::tensor::InsertSliceOp insert);
  llvm::LogicalResult visitLoop(plan::LoopOp loop);
  void visitNext(plan::LoopOp loop);
  llvm::LogicalResult visitReturn(mlir::Operation *terminator);
  llvm::LogicalResult returnState(mlir::OpOperand &operand,
                                  mlir::Attribute state);

  unsigned addMemory(Memory memory);
  bool isFresh(mlir::Value base, mlir::Block *block, const DimExpr &bytes);
  bool mayTakeOver(mlir::OpOperand &init);
  llvm::SmallVector<mlir::OpOperand *> readersOf(mlir::Value value);
  bool areReadBefore(mlir::Value value, mlir::Operation *op,
                     mlir::OpOperand *except);
  mlir::Value firstOf(mlir::Value value);
  void copy(mlir::Operation *at, mlir::Value value, const Location &to);

  mlir::SymbolTable &symbols;
  xf::DimAnalysis analysis;
  struct Link {
    mlir::Value whole;
    DimExpr offset;
  };
  /// What lies in the memory of another value, and where.
  llvm::DenseMap<mlir::Value, Link> links;
  llvm::DenseMap<mlir::Value, unsigned> memoryOf;
};

} // namespace dragoman::lowering

#endif // DRAGOMAN_COMPILER_LOWERING_ENTRYPLAN_H
