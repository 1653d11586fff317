//===- AttentionOperands.h - Reading attention's operands -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONOPERANDS_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONOPERANDS_H

#include "compiler/lowering/cpu/AttentionKernel.h"
#include "compiler/lowering/cpu/PullEvaluator.h"
#include "dialects/xf/ops/AttentionForm.h"

namespace dragoman {

/// What the kernels of attention and of its gradient read alike: places of
/// tensors, positions, visibility and scores. Values are built where the
/// functions are called.
class AttentionOperands {
public:
  using Value = mlir::Value;

  AttentionOperands(KernelBody &body, PullEvaluator &pull,
                    const xf::AttentionForm &form)
      : body(body), k(body.k), pull(pull), form(form) {}

  /// Finds where a rank 4 operand lies; its size must be contiguous. Records an
  /// error and returns false otherwise.
  bool operand(Value tensor, llvm::StringRef layout, AttentionOperand &out);
  /// One element of an integer tensor as an index value.
  Value scalar(Value tensor, llvm::ArrayRef<Value> at);
  /// The absolute position of a query.
  Value position(const AttentionQuery &query);

  /// The keys of a batch row: `keys`, or its count if there are fewer.
  Value keyLimit(Value batch, Value keys);
  /// [first, last) of the keys that a query may see.
  std::pair<Value, Value> visible(const AttentionQuery &query, Value keys);
  /// False if the first visible key is always key 0.
  bool hasFirst() const { return form.left >= 0; }

  /// False if scores are the scaled products.
  bool hasScore() const;
  /// Steps 1 to 3 for 16 products from key `key` on. Lanes outside `mask` (null
  /// = all) are not read.
  Value biased(const AttentionQuery &query, Value key, Value products,
               Value mask);
  /// Steps 1 to 5: biased, then the score region and the mask, which makes
  /// hidden lanes -inf.
  Value score(const AttentionQuery &query, Value key, Value products,
              Value mask);
  /// What a region yields for 16 values, with `rest` behind its positions.
  llvm::SmallVector<Lanes> region(mlir::Region &region,
                                  const AttentionQuery &query, Value key,
                                  Value values, llvm::ArrayRef<Value> rest,
                                  Value mask);

  /// False if no weight is dropped.
  bool hasDropout() const { return form.dropout > 0; }
  /// Step 9 for 16 weights (or their gradients) from key `key`, a multiple of
  /// 16, on: dropped lanes become +0.
  Value dropped(const AttentionQuery &query, Value key, Value weights);

private:
  llvm::SmallVector<Lanes> scoreIndex(Value tensor, const AttentionQuery &query,
                                      Value key);

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator &pull;
  xf::AttentionForm form;
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_ATTENTIONOPERANDS_H
