//===- KernelRoles.h - The role in kernels of any allowed op ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_UPSTREAM_KERNELROLES_H
#define DRAGOMAN_DIALECTS_UPSTREAM_KERNELROLES_H

#include "dialects/xf/Interfaces.h"

#include <optional>

namespace dragoman {

/// The role of `op`: an xf op's own answer, or that of an upstream op of the
/// allowed list. Nothing for ops that are no kernel's work: constants,
/// tensor.empty, tensor.dim and scalar arithmetic, which are repeated where
/// they are needed.
std::optional<xf::KernelRole> kernelRoleOf(mlir::Operation *op);

/// The operand whose memory a result of an xf op may take over; see
/// KernelOpInterface.
std::optional<unsigned> mayAlias(mlir::OpResult result);

/// True if a kernel around the op writes an element of its result once, when it
/// has read all that the element and the elementwise work behind it need.
bool writesOnce(mlir::Operation *root);

/// True if a kernel is built around an op of this role.
bool isRootRole(xf::KernelRole role);

/// True for ops that only name the same bytes by another shape.
bool isView(mlir::Operation *op);

/// True for ops on index and integer scalars that follow from dimensions and
/// are repeated where they are needed.
bool isShapeArithmetic(mlir::Operation *op);

} // namespace dragoman

#endif // DRAGOMAN_DIALECTS_UPSTREAM_KERNELROLES_H
