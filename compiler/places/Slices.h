//===- Slices.h - Slices that are bytes in a row ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice of the first axis of a dense tensor is a range of its bytes. An entry
// reads and writes it where it lies, so a parameter inside the flat tensor of
// all parameters, or a block of rows in a loop, costs no copy.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_PLACES_SLICES_H
#define DRAGOMAN_COMPILER_PLACES_SLICES_H

#include "dialects/xf/DimAnalysis.h"

#include <optional>

namespace dragoman {

/// The number of the element of the whole tensor that a tensor.extract_slice or
/// tensor.insert_slice starts at, if the slice is dense (unit steps, all of the
/// axes behind the first one) and provably inside in every iteration of the
/// loops around it; else nothing.
std::optional<DimExpr> denseSliceStart(mlir::Operation *slice,
                                       xf::DimAnalysis &analysis);

/// True for a tensor.extract_slice with such a start.
bool isDenseSlice(mlir::Operation *op, xf::DimAnalysis &analysis);

/// True for a tensor.concat of vectors, whose pieces stand in it in a row.
bool isJoin(mlir::Operation *op);

/// A bound of the expression over all iterations of the loops around `op`, in
/// the entry's dimensions alone; nothing where none is known.
std::optional<DimExpr> maximumOverLoops(const DimExpr &expr,
                                        mlir::Operation *op);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_PLACES_SLICES_H
