//===- RowPositions.h - From one past length to one per row -----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exported decoder knows one past length P for the whole batch. In the
// entry every row has its own position. What depends on P and not on the row
// (position ids, their embeddings) gets a leading row axis; what has a row axis
// already reads the row's entry.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_GRAPH_ROWPOSITIONS_H
#define DRAGOMAN_COMPILER_GRAPH_ROWPOSITIONS_H

#include "compiler/graph/DecoderGraphs.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

#include <functional>

namespace dragoman {

/// Clones values of a decoder graph and what they depend on into an entry,
/// sizes taken from the entry's arguments, and the dimension P replaced by
/// position[r], r an index of the dimension R.
class RowPositions {
public:
  RowPositions(mlir::OpBuilder &builder, mlir::func::FuncOp past,
               mlir::IRMapping &mapping, mlir::Value position)
      : builder(builder), past(past), mapping(mapping), position(position) {}

  using Attention =
      std::function<mlir::FailureOr<mlir::Value>(xf::AttentionOp)>;
  /// What becomes of an attention; it clones the operands that it needs.
  void setAttention(Attention function) { attention = std::move(function); }

  /// The counterpart of a value of the graph.
  mlir::FailureOr<mlir::Value> clone(mlir::Value value);
  /// position[r] + T.
  mlir::Value keyCount();

  mlir::OpBuilder &builder;

private:
  bool hasRows(mlir::Value value);
  /// True for a value without row axis that depends on P.
  bool needsRows(mlir::Value value);
  /// The counterpart of such a value, with a leading row axis.
  mlir::FailureOr<mlir::Value> lift(mlir::Value value);
  mlir::FailureOr<mlir::Value> liftReshape(mlir::Value value);
  mlir::FailureOr<mlir::Value> liftScalar(mlir::Value value);
  /// The generic with position[r] for P; r is a new first loop, or loop
  /// `rowLoop`.
  mlir::FailureOr<mlir::Value> rebuild(mlir::linalg::GenericOp op, bool newLoop,
                                       unsigned rowLoop);
  /// The index value of a scalar expression; `past` stands for P.
  mlir::Value dimValue(mlir::OpBuilder &at, const DimExpr &expr,
                       mlir::Location loc, mlir::Value past = {});
  mlir::Value cast(mlir::OpBuilder &at, mlir::Value value, mlir::Type type);

  mlir::func::FuncOp past;
  mlir::IRMapping &mapping;
  mlir::Value position;
  Attention attention;
  xf::DimAnalysis dims;
  llvm::DenseMap<mlir::Value, bool> dependent;
  llvm::DenseMap<mlir::Value, mlir::Value> lifted;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_GRAPH_ROWPOSITIONS_H
