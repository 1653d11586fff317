//===- AttentionForm.cpp - What attention and its gradient share ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/AttentionForm.h"

#include "dialects/xf/ops/OpSupport.h"

using namespace dragoman;
using namespace dragoman::xf;

template <typename Op> static void readForm(Op op, AttentionForm &form) {
  form.op = op;
  form.q = op.getQ();
  form.k = op.getK();
  form.v = op.getV();
  form.bias = op.getBias();
  form.mask = op.getMask();
  form.keyCount = op.getKeyCount();
  form.offset = op.getOffset();
  form.lse = op.getLse();
  form.seed = op.getSeed();
  form.rowKey = op.getRowKey();
  form.dropout = op.getDropout().convertToDouble();
  form.site = op.getSite();
  form.score = op.getScore().empty() ? nullptr : &op.getScore();
  form.prob = op.getProb().empty() ? nullptr : &op.getProb();
  form.causal = op.getCausal();
  form.left = op.getLeft();
  form.right = op.getRight();
  form.softcap = op.getSoftcap().convertToDouble();
  form.qLayout = op.getQLayout();
  form.kLayout = op.getKLayout();
  form.vLayout = op.getVLayout();
  form.outLayout = op.getOutLayout();
  form.headSize = tensorType(form.q).getDimSize(3);
  form.valueSize = tensorType(form.v).getDimSize(3);
  form.heads =
      tensorType(form.q).getDimSize(AttentionOp::axes(form.qLayout)[1]);
  form.keyHeads =
      tensorType(form.k).getDimSize(AttentionOp::axes(form.kLayout)[1]);
  form.scale = op.getScale()
                   ? op.getScale()->convertToDouble()
                   : 1.0 / std::sqrt(static_cast<double>(form.headSize));
}

AttentionForm::AttentionForm(AttentionOp op) {
  readForm(op, *this);
  rows = op.getRows();
}

AttentionForm::AttentionForm(AttentionGradOp op) { readForm(op, *this); }

bool dragoman::xf::hasKernel(AttentionGradOp op) {
  auto simple = [&](int64_t capture) {
    mlir::RankedTensorType type = tensorType(op.getCaptures()[capture]);
    return type.getRank() <= 1 && type.getElementType().isF32();
  };
  return op.getProb().empty() && !op.getDbias() &&
         tensorType(op.getQ()).getElementType().isF32() &&
         llvm::all_of(op.differentiatedCaptures(), simple);
}

AttentionForm::AttentionForm(AttentionWeightsOp op)
    : q(op.getQ()), k(op.getK()), v(op.getK()), bias(op.getBias()),
      mask(op.getMask()), keyCount(op.getKeyCount()), offset(op.getOffset()),
      lse(op.getLse()), score(op.getScore().empty() ? nullptr : &op.getScore()),
      causal(op.getCausal()), left(op.getLeft()), right(op.getRight()),
      softcap(op.getSoftcap().convertToDouble()), dropout(0), site(0),
      qLayout(op.getQLayout()), kLayout(op.getKLayout()),
      vLayout(op.getKLayout()), outLayout(op.getQLayout()), op(op) {
  headSize = valueSize = tensorType(q).getDimSize(3);
  heads = tensorType(q).getDimSize(AttentionOp::axes(qLayout)[1]);
  keyHeads = tensorType(k).getDimSize(AttentionOp::axes(kLayout)[1]);
  scale = op.getScale() ? op.getScale()->convertToDouble()
                        : 1.0 / std::sqrt(static_cast<double>(headSize));
}
