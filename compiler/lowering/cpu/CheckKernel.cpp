//===- CheckKernel.cpp - Conditions on the CPU ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/CheckKernel.h"

#include "compiler/lowering/cpu/PullEvaluator.h"
#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

/// Element `at` of `tensor` as a scalar; a tensor of rank 0 has one.
static Value readScalar(PullEvaluator &pull, KernelBuilder &k, Value tensor,
                        llvm::ArrayRef<Lanes> at) {
  if (cast<RankedTensorType>(tensor.getType()).getRank() == 0)
    at = {};
  Lanes lanes = pull.read(tensor, at, Value());
  return lanes.kind == Lanes::Vector ? k.extract(lanes.value, 0) : lanes.value;
}

LogicalResult dragoman::lowerCheck(plan::KernelOp kernel, KernelBuilder &k) {
  KernelBody body(kernel, k);
  auto checks = kernel.getBody().front().getOps<xf::CheckOp>();
  xf::CheckOp op = *checks.begin();
  PullEvaluator pull(body);
  llvm::SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(op.getCondition().getType());
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    sizes.push_back(body.size(op.getCondition(), axis));
  auto wide = [&](Value tensor, llvm::ArrayRef<Lanes> at) {
    if (!tensor)
      return k.constantInt(k.i64(), 0);
    Value value = readScalar(pull, k, tensor, at);
    return value.getType().isInteger(64)
               ? value
               : arith::ExtSIOp::create(k.op(), k.i64(), value).getResult();
  };
  Value count = body.value(body.elements(op.getCondition()));
  k.forTiles([&](Value) { // one tile: all elements
    k.forLoop(k.index(0), count, 1, [&](Value i) {
      pull.newElements();
      llvm::SmallVector<Lanes> at = pull.delinearize(pull.uniform(i), sizes);
      Value holds = readScalar(pull, k, op.getCondition(), at);
      Value fails = k.cmp(arith::CmpIPredicate::eq, holds,
                          k.constantInt(holds.getType(), 0));
      Value value = wide(op.getValue(), at), bound = wide(op.getBound(), at);
      k.ifThen(fails, [&] {
        k.recordError(op.getSite(), k.fromIndex(i, k.i64()), value, bound);
      });
    });
  });
  return body.status();
}
