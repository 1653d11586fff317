//===- ScalarExpr.h - One element of a tensor as an expression --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks are read by meaning: the element at symbolic indices is pulled through
// generics, reshapes, concatenations and fills until only constants, integers
// in indices and dimensions, and elements of other tensors are left. Comparisons
// of integers become atoms, so the element is a function of a few truth values,
// whatever graph an exporter wrote for it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_GRAPH_SCALAREXPR_H
#define DRAGOMAN_COMPILER_GRAPH_SCALAREXPR_H

#include "dialects/xf/DimAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dragoman {

/// A comparison of integers that holds or not: `left <= right`, where right may
/// be an element of a tensor.
struct MaskAtom {
  DimExpr difference;     ///< holds iff difference <= 0 (element is null)
  mlir::Value element;    ///< or: holds iff left < element[elementIndex]
  std::vector<DimExpr> elementIndex;
  DimExpr left;

  std::string key() const;
};

/// An expression tree; nodes are shared and immutable.
struct ScalarExpr {
  enum Kind { Number, Integer, Element, Atom, Compute, Unknown };
  Kind kind = Unknown;
  double number = 0;                   ///< Number
  DimExpr integer;                     ///< Integer
  mlir::Value tensor;                  ///< Element
  std::vector<DimExpr> index;          ///< Element
  MaskAtom atom;                       ///< Atom
  bool negated = false;                ///< Atom
  mlir::Operation *op = nullptr;       ///< Compute: the scalar op
  std::vector<std::shared_ptr<const ScalarExpr>> operands; ///< Compute
};
using ScalarRef = std::shared_ptr<const ScalarExpr>;

/// The element of `tensor` at `index` (one expression per axis).
ScalarRef elementAt(mlir::Value tensor, std::vector<DimExpr> index,
                    xf::DimAnalysis &dims);

/// Every atom of the expression, by key.
void collectAtoms(const ScalarRef &expr, std::map<std::string, MaskAtom> &atoms);

/// The number that the expression is under the given truth values, or nothing
/// if it depends on more.
std::optional<double> evaluateUnder(const ScalarRef &expr,
                                    const std::map<std::string, bool> &truth);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_GRAPH_SCALAREXPR_H
