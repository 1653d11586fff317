//===- OpSupport.h - Shared checks of the xf verifiers -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_OPS_OPSUPPORT_H
#define DRAGOMAN_DIALECTS_XF_OPS_OPSUPPORT_H

#include "dialects/xf/Xf.h"

namespace dragoman::xf {

/// The ranked type of a tensor operand or result.
inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// True unless both sizes are static and differ.
inline bool compatible(int64_t a, int64_t b) {
  return mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b) ||
         a == b;
}

/// True if the shapes have one rank and compatible sizes.
inline bool compatible(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return compatible(std::get<0>(pair), std::get<1>(pair));
         });
}

/// True if `from` broadcasts to `to`: same rank, each size equal or static 1.
inline bool broadcastable(llvm::ArrayRef<int64_t> from,
                          llvm::ArrayRef<int64_t> to) {
  return from.size() == to.size() &&
         llvm::all_of(llvm::zip(from, to), [](auto pair) {
           return std::get<0>(pair) == 1 ||
                  compatible(std::get<0>(pair), std::get<1>(pair));
         });
}

/// f64 for f64, else f32: the type of accumulation and statistics.
inline mlir::Type accumulatorType(mlir::Type element) {
  return element.isF64() ? element : mlir::Float32Type::get(element.getContext());
}

/// A shape in the form 4x?x32, for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// `axis` counted from the front: -1 is the last of `rank`. Unchecked.
inline int64_t normalizeAxis(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_OPS_OPSUPPORT_H
