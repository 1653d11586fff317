//===- Dropout.cpp - Reference of xf.dropout ------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/reference/Philox.h"
#include "dialects/xf/reference/Reference.h"

using namespace dragoman;
using namespace dragoman::xf;

Status xf::referenceDropout(ReferenceCall &call, mlir::Operation *operation) {
  auto op = llvm::cast<DropoutOp>(operation);
  const Tensor &x = call.operand(op.getX()); // [B,T], [B,T,C] or [B,H,T,C]
  const Tensor &keys = call.operand(op.getRowKey());
  if (keys.dim(0) != x.dim(0))
    return sizeError("row keys", {x.dim(0)}, keys.shape());
  DropoutDraws draws(call.operand(op.getSeed()).integers()[0], op.getSite(),
                     op.getP().convertToDouble());
  Tensor y = call.makeResult(0, x.shape());
  double *out = y.mutableFloats();
  int64_t columns = x.rank() > 1 ? x.dim(x.rank() - 1) : 1;
  int64_t rows = x.rank() > 2 ? x.dim(x.rank() - 2) : 1;
  int64_t heads = x.rank() > 3 ? x.dim(1) : 1;
  int64_t i = 0;
  for (int64_t b = 0; b < x.dim(0); ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t t = 0; t < rows; ++t)
        for (int64_t c = 0; c < columns; ++c, ++i)
          if (draws.keep(keys.integers()[b], h * (1 << 20) + t, c))
            out[i] = x.floats()[i] * draws.scale();
  call.results = {y};
  return Status::ok();
}
