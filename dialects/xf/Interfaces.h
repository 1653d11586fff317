//===- Interfaces.h - What the compiler asks of xf ops -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_INTERFACES_H
#define DRAGOMAN_DIALECTS_XF_INTERFACES_H

#include "runtime/artifact/DimExpr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace dragoman::xf {

/// Gives the named-dimension expression of an axis of a value.
using DimLookup = llvm::function_ref<DimExpr(mlir::Value, unsigned)>;

/// How an op behaves in a kernel.
enum class KernelRole {
  Contraction,   ///< one FMA chain per output: linear, matmul
  Rowwise,       ///< needs whole rows of its input: norms, softmax
  Elementwise,   ///< output element depends on one element of each input
  Reduction,     ///< sums or maxima over axes
  AttentionLike, ///< contraction, rowwise, contraction
  Movement,      ///< copies elements: embedding, slices, transposes, caches
  Opaque,        ///< a kernel of its own: select, top_k, check
};

} // namespace dragoman::xf

#include "dialects/xf/Interfaces.h.inc"

#endif // DRAGOMAN_DIALECTS_XF_INTERFACES_H
