//===- Matmul.cpp - xf.matmul: verifier, dimensions, role -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#define GET_OP_CLASSES
#include "dialects/xf/ops/Matmul.cpp.inc"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::LogicalResult;

LogicalResult MatmulOp::verify() {
  mlir::RankedTensorType a = tensorType(getA()), b = tensorType(getB()),
                         c = tensorType(getC());
  // matmul_c1
  if (b.getElementType() != a.getElementType() ||
      c.getElementType() != a.getElementType())
    return emitOpError("expected a, b and c to share element type ")
           << a.getElementType() << ", found " << b << " and " << c;
  // matmul_c2
  int64_t rank = a.getRank();
  if (rank < 2 || b.getRank() != rank || c.getRank() != rank)
    return emitOpError("expected a, b and c of one rank of at least 2, found ")
           << a << ", " << b << " and " << c;
  int64_t m = a.getDimSize(getTransposeA() ? rank - 1 : rank - 2);
  int64_t ka = a.getDimSize(getTransposeA() ? rank - 2 : rank - 1);
  int64_t kb = b.getDimSize(getTransposeB() ? rank - 1 : rank - 2);
  int64_t n = b.getDimSize(getTransposeB() ? rank - 2 : rank - 1);
  // matmul_c3
  if (!compatible(ka, kb))
    return emitOpError("expected a and b to agree in K, found ")
           << ka << " and " << kb;
  // matmul_c4
  if (!compatible(c.getDimSize(rank - 2), m) ||
      !compatible(c.getDimSize(rank - 1), n))
    return emitOpError("expected c to end in ")
           << shapeText({m, n}) << ", found " << c;
  // matmul_c5
  for (int64_t axis = 0; axis < rank - 2; ++axis) {
    int64_t one = a.getDimSize(axis), other = b.getDimSize(axis);
    if (one != 1 && other != 1 && !compatible(one, other))
      return emitOpError("expected batch axis ")
             << axis << " to be equal or 1, found " << one << " and " << other;
    if (!compatible(c.getDimSize(axis), one == 1 ? other : one))
      return emitOpError("expected batch axis ")
             << axis << " of c to be " << (one == 1 ? other : one) << ", found "
             << c.getDimSize(axis);
  }
  return mlir::success();
}

DimExpr MatmulOp::resultDim(unsigned, unsigned axis, DimLookup dimOf) {
  unsigned rank = tensorType(getC()).getRank();
  if (axis == rank - 2)
    return dimOf(getA(), getTransposeA() ? rank - 1 : rank - 2);
  if (axis == rank - 1)
    return dimOf(getB(), getTransposeB() ? rank - 2 : rank - 1);
  return tensorType(getA()).getDimSize(axis) == 1 ? dimOf(getB(), axis)
                                                  : dimOf(getA(), axis);
}

KernelRole MatmulOp::kernelRole() { return KernelRole::Contraction; }
