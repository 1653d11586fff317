//===- LossSupport.h - Checks that the losses share ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_OPS_LOSSSUPPORT_H
#define DRAGOMAN_DIALECTS_XF_OPS_LOSSSUPPORT_H

#include "dialects/xf/ops/OpSupport.h"

namespace dragoman::xf {

/// Each of `rows` is acc [N]; null values are skipped.
llvm::LogicalResult verifyRows(mlir::Operation *op, mlir::Type element,
                               int64_t rows,
                               llvm::ArrayRef<mlir::Value> values);

/// The target is [N], class_weight (may be null) F [V].
llvm::LogicalResult verifyTarget(mlir::Operation *op,
                                 mlir::RankedTensorType logits,
                                 mlir::Value target, mlir::Value classWeight);

/// smoothing lies in [0, 1).
llvm::LogicalResult verifySmoothing(mlir::Operation *op,
                                    const llvm::APFloat &smoothing);

/// The forbidden ids ascend within 0..V-1 and leave one allowed.
llvm::LogicalResult verifyForbidden(mlir::Operation *op, int64_t vocabulary,
                                    llvm::ArrayRef<int64_t> forbidden);

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_OPS_LOSSSUPPORT_H
