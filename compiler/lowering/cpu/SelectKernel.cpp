//===- SelectKernel.cpp - Best candidates of a row on the CPU -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/SelectKernel.h"

#include "compiler/lowering/cpu/ElementwiseKernel.h"
#include "compiler/lowering/cpu/RankedList.h"
#include "compiler/lowering/cpu/VectorMath.h"
#include "compiler/tiling/SelectScratch.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;
using Predicate = arith::CmpFPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double log2e = 1.44269504088896341;

namespace {

class SelectEmitter {
public:
  SelectEmitter(KernelBody &body, xf::SelectOp op, const StridedView &logits,
                int64_t vocabulary)
      : body(body), k(body.k), pull(body), op(op), logits(logits),
        vocabulary(vocabulary), scratch(vocabulary) {}

  void prepare();
  void emitRow(Value row);

private:
  /// A row's maximum and the logarithm of the sum of e^(x - maximum).
  struct Sum {
    Value maximum, logarithm;
    Value lse(KernelBuilder &k) { return k.addF(maximum, logarithm); }
  };

  Value editAt(Value tensor, Value row, Value edit);
  Value countEdits(Value row);
  void editRow(Value row, Value source, Value normalizeFirst);
  Value shiftOf(Value maximum);
  Value maximumOf(Value source);
  Sum sumOf(Value source, Value maximum,
            llvm::function_ref<void(Value, Value)> look);
  void findBound(Value source);
  void look(Value source, Value column, Value mask);
  void storeResults(Value row, Sum sum, Value edited, Value normalizeFirst,
                    Value normalizeLast);
  Value lseOf(Value source, Sum sum);
  Value address(Value base, Value offset);

  KernelBody &body;
  KernelBuilder &k;
  PullEvaluator pull;
  xf::SelectOp op;
  const StridedView &logits;
  int64_t vocabulary;
  SelectScratch scratch;
  Value count, normalize; ///< count is within 1..k, `wanted` within 0..k
  Value wanted;
  Value next; ///< where the following row of logits begins, as a memref
};

} // namespace

static Value bit(KernelBuilder &k, Value bits, int64_t mask) {
  Value set =
      arith::AndIOp::create(k.op(), bits, k.constantInt(bits.getType(), mask));
  return k.cmp(arith::CmpIPredicate::ne, set, k.constantInt(bits.getType(), 0));
}

void SelectEmitter::prepare() {
  Value asked = k.toIndex(pull.read(op.getCount(), {}, Value()).value);
  int64_t most = std::min(op.getK(), vocabulary);
  wanted = k.max(k.min(asked, most), 0);
  count = k.max(wanted, 1);
  normalize = pull.read(op.getNormalize(), {}, Value()).value;
  pull.newElements();
}

Value SelectEmitter::address(Value base, Value offset) {
  Value pointer = memref::ExtractAlignedPointerAsIndexOp::create(k.op(), base);
  return k.fromIndex(k.add(pointer, k.mul(offset, 4)), k.i64());
}

Value SelectEmitter::editAt(Value tensor, Value row, Value edit) {
  pull.newElements();
  return pull.read(tensor, {pull.uniform(row), pull.uniform(edit)}, Value())
      .value;
}

/// How many of the row's edits change something.
Value SelectEmitter::countEdits(Value row) {
  Value edits = body.size(op.getEditId(), 1);
  return k.forLoop(
      k.index(0), edits, 1, {k.index(0)},
      [&](Value edit, ValueRange carried) -> Values {
        Value kind = k.toIndex(editAt(op.getEditKind(), row, edit));
        Value id = k.toIndex(editAt(op.getEditId(), row, edit));
        // Kinds 1 to 3; as unsigned numbers negative ones are large.
        Value valid = arith::AndIOp::create(
            k.op(),
            k.cmp(arith::CmpIPredicate::ult, k.sub(kind, 1), k.index(3)),
            k.cmp(arith::CmpIPredicate::ult, id, k.index(vocabulary)));
        return {k.select(valid, k.add(carried[0], 1), carried[0])};
      })[0];
}

/// Copies the row, less its log-sum-exp if asked, and applies the edits.
void SelectEmitter::editRow(Value row, Value source, Value normalizeFirst) {
  Value constant = k.ifElse(
      normalizeFirst, {k.f32()},
      [&]() -> Values {
        Value maximum = maximumOf(source);
        return {lseOf(source, sumOf(source, maximum, nullptr))};
      },
      [&]() -> Values { return {k.constantF(0)}; })[0];
  Value copy = k.scratch(scratch.row, k.f32()), all = k.broadcast(constant);
  forColumns(k, k.index(0), k.index(vocabulary), [&](Value at, Value mask) {
    Value from = k.view(source, at, {kernelLanes}, {int64_t(1)});
    Value to = k.view(copy, at, {kernelLanes}, {int64_t(1)});
    Value zero = k.index(0);
    Value x = mask ? k.loadMasked(from, zero, mask) : k.loadV(from, zero);
    x = k.subF(x, all);
    if (mask)
      k.storeMasked(x, to, zero, mask);
    else
      k.storeV(x, to, zero);
  });
  k.forLoop(k.index(0), body.size(op.getEditId(), 1), 1, [&](Value edit) {
    Value kind = k.toIndex(editAt(op.getEditKind(), row, edit));
    Value id = k.toIndex(editAt(op.getEditId(), row, edit));
    Value value = editAt(op.getEditValue(), row, edit);
    k.ifThen(k.cmp(arith::CmpIPredicate::ult, id, k.index(vocabulary)), [&] {
      Value x = k.load(copy, id);
      k.indexSwitch(kind, {1, 2, 3}, [&](int64_t which) {
        Value result = value;
        if (which == 2)
          result = k.addF(x, value);
        if (which == 3)
          result = k.select(k.cmpF(Predicate::OLT, x, k.constantF(0)),
                            k.mulF(x, value), k.divF(x, value));
        k.store(result, copy, id);
      });
    });
  });
}

/// The maxima of the groups go to scratch; returns the row's, NaN dropped.
Value SelectEmitter::maximumOf(Value source) {
  constexpr int64_t vectors = selectGroups / kernelLanes;
  Value low = k.splat(-infinity);
  int64_t whole = vocabulary / selectGroups * selectGroups;
  Value zero = k.index(0);
  Values tops =
      k.forLoop(zero, k.index(whole), selectGroups, Values(vectors, low),
                [&](Value at, ValueRange carried) {
                  Values next;
                  for (int64_t i = 0; i < vectors; ++i) {
                    Value place = k.view(source, k.add(at, i * kernelLanes),
                                         {kernelLanes}, {int64_t(1)});
                    next.push_back(k.maxF(k.loadV(place, zero), carried[i]));
                  }
                  return next;
                });
  Value groups = k.scratch(scratch.groups, k.f32());
  for (int64_t i = 0; i < vectors; ++i)
    k.storeV(tops[i], groups, k.index(i * kernelLanes));
  // What is left of the row counts in the first groups.
  forColumns(k, k.index(whole), k.index(vocabulary), [&](Value at, Value mask) {
    Value place = k.view(source, at, {kernelLanes}, {int64_t(1)});
    Value x = mask ? k.select(mask, k.loadMasked(place, zero, mask), low)
                   : k.loadV(place, zero);
    k.storeV(k.maxF(x, k.loadV(groups, zero)), groups, zero);
  });
  Value top = low;
  for (int64_t i = 0; i < vectors; ++i)
    top = k.maxF(k.loadV(groups, k.index(i * kernelLanes)), top);
  return k.reduceMax(top);
}

/// Sum of e^(x - maximum) in 16 lanes; `look` sees every 64 elements on the
/// way.
SelectEmitter::Sum
SelectEmitter::sumOf(Value source, Value maximum,
                     llvm::function_ref<void(Value, Value)> look) {
  constexpr int64_t together = 64;
  Value scale = k.splat(log2e), zero = k.index(0);
  Value empty = k.cmpF(Predicate::OEQ, maximum, k.constantF(-infinity));
  Value shift = k.broadcast(
      k.select(empty, k.constantF(0), k.mulF(maximum, k.constantF(-log2e))));
  auto term = [&](Value at, Value mask) {
    Value place = k.view(source, at, {kernelLanes}, {int64_t(1)});
    Value x = mask ? k.loadMasked(place, zero, mask) : k.loadV(place, zero);
    Value e = emitExp2(k, k.fma(x, scale, shift));
    return mask ? k.select(mask, e, k.splat(0)) : e;
  };
  int64_t whole = vocabulary / together * together;
  Value sum = k.forLoop(zero, k.index(whole), together, {k.splat(0)},
                        [&](Value at, ValueRange carried) -> Values {
                          if (look) {
                            look(at, Value());
                            for (int64_t i = 0; i < together; i += kernelLanes)
                              k.prefetch(next, k.add(at, i), 2);
                          }
                          Values terms;
                          for (int64_t i = 0; i < together; i += kernelLanes)
                            terms.push_back(term(k.add(at, i), Value()));
                          Value total = carried[0];
                          for (Value e : terms)
                            total = k.addF(total, e);
                          return {total};
                        })[0];
  for (int64_t at = whole; at < vocabulary; at += kernelLanes) {
    Value mask;
    if (vocabulary - at < kernelLanes)
      mask = k.tailMask(k.index(vocabulary - at));
    sum = k.addF(sum, term(k.index(at), mask));
  }
  if (look && whole < vocabulary)
    look(k.index(whole), k.index(vocabulary - whole));
  return {maximum, k.extract(emitLog(k, k.broadcast(k.reduceSum(sum))), 0)};
}

/// The log-sum-exp; a row whose maximum is infinite holds a NaN or is infinite.
Value SelectEmitter::lseOf(Value source, Sum sum) {
  Value top = k.cmpF(Predicate::OEQ, sum.maximum, k.constantF(infinity));
  return k.ifElse(
      top, {k.f32()},
      [&]() -> Values {
        Value nan = k.forLoop(
            k.index(0), k.index(vocabulary), 1, {sum.maximum},
            [&](Value at, ValueRange carried) -> Values {
              Value x = k.load(source, at);
              return {k.select(k.cmpF(Predicate::UNO, x, x), x, carried[0])};
            })[0];
        return {nan};
      },
      [&]() -> Values { return {sum.lse(k)}; })[0];
}

/// The k-th largest of the groups' maxima bounds the k-th best from below; the
/// bound lies a little under it, so that `x > bound` holds for the k-th best.
void SelectEmitter::findBound(Value source) {
  Value groups = k.scratch(scratch.groups, k.f32());
  RankedList list{
      k,
      k.scratch(scratch.values, k.f32()),
      k.scratch(scratch.ids, k.i32()),
      k.index(0),
      k.scratch(scratch.count, k.i64()),
      count,
      [&](Value x, Value y) { return k.cmpF(Predicate::OGT, x, y); }};
  list.clear();
  k.forLoop(k.index(0), k.index(selectGroups), 1, [&](Value i) {
    list.insert(k.load(groups, i), k.constantInt(k.i32(), 0));
  });
  Value least = list.valueAt(k.sub(count, 1));
  Value size = math::AbsFOp::create(k.op(), least);
  Value slack = k.fma(size, k.constantF(0x1p-20), k.constantF(0x1p-60));
  Value bound = k.subF(least, slack);
  Value top = k.cmpF(Predicate::OEQ, least, k.constantF(infinity));
  bound = k.select(top, k.constantF(std::numeric_limits<float>::max()), bound);
  k.storeV(k.broadcast(bound), k.scratch(scratch.bound, k.f32()), k.index(0));
  list.clear();
}

/// Takes candidates out of 64 elements from `column` on, or `left` of them.
void SelectEmitter::look(Value source, Value column, Value left) {
  Value bounds = k.scratch(scratch.bound, k.f32()), zero = k.index(0);
  RankedList list{
      k,
      k.scratch(scratch.values, k.f32()),
      k.scratch(scratch.ids, k.i32()),
      k.index(0),
      k.scratch(scratch.count, k.i64()),
      count,
      [&](Value x, Value y) { return k.cmpF(Predicate::OGT, x, y); }};
  auto scan = [&](Value from, Value to) {
    k.forLoop(from, to, 1, [&](Value at) {
      Value x = k.load(source, at);
      Value bound = k.load(bounds, zero);
      k.ifThen(k.cmpF(Predicate::OGT, x, bound), [&] {
        list.insert(x, k.fromIndex(at, k.i32()));
        Value full = k.cmp(arith::CmpIPredicate::sge, list.length(), count);
        k.ifThen(full, [&] {
          Value least = list.valueAt(k.sub(count, 1));
          k.storeV(k.broadcast(k.select(k.cmpF(Predicate::OGT, least, bound),
                                        least, bound)),
                   bounds, zero);
        });
      });
    });
  };
  if (left)
    return scan(column, k.add(column, left));
  Value bound = k.loadV(bounds, zero), any;
  for (int64_t i = 0; i < 64; i += kernelLanes) {
    Value place = k.view(source, k.add(column, i), {kernelLanes}, {int64_t(1)});
    Value above = k.cmpF(Predicate::OGT, k.loadV(place, zero), bound);
    any = any ? arith::OrIOp::create(k.op(), any, above) : above;
  }
  Value hit =
      vector::ReductionOp::create(k.op(), vector::CombiningKind::OR, any);
  k.ifThen(hit, [&] { scan(column, k.add(column, 64)); });
}

void SelectEmitter::emitRow(Value row) {
  Value slot = k.slot(logits.slot, k.f32());
  Value stride = body.value(logits.strides[0]);
  Value offset = k.add(body.value(logits.offset), k.mul(row, stride));
  Value normalizeFirst = bit(k, normalize, 1);
  Value normalizeLast = bit(k, normalize, 2);
  Value edited = k.less(k.index(0), countEdits(row));
  auto memrefAt = [&](Value address) {
    auto pointer = LLVM::LLVMPointerType::get(k.op().getContext());
    return memrefFromPointer(k.op(), k.op().getLoc(),
                             LLVM::IntToPtrOp::create(k.op(), pointer, address),
                             k.f32());
  };
  Value plain = address(slot, offset);
  next = memrefAt(address(slot, k.add(offset, stride)));
  k.ifThen(edited, [&] { editRow(row, memrefAt(plain), normalizeFirst); });
  Value copy = address(k.scratch(scratch.row, k.f32()), k.index(0));
  Value source = memrefAt(k.select(edited, copy, plain));
  Value maximum = maximumOf(source);
  findBound(source);
  Sum sum = sumOf(source, maximum, [&](Value column, Value left) {
    look(source, column, left);
  });
  sum.logarithm = k.ifElse(
      k.cmpF(Predicate::OEQ, maximum, k.constantF(infinity)), {k.f32()},
      [&]() -> Values { return {lseOf(source, sum)}; },
      [&]() -> Values { return {sum.logarithm}; })[0];
  storeResults(row, sum, edited, normalizeFirst, normalizeLast);
}

/// An unedited row is ranked as it is; its first log-sum-exp is subtracted
/// here.
void SelectEmitter::storeResults(Value row, Sum sum, Value edited,
                                 Value normalizeFirst, Value normalizeLast) {
  int64_t k0 = op.getK();
  Value zero = k.constantF(0);
  Value lse = sum.lse(k);
  Value later =
      k.select(edited, k.constantInt(k.op().getI1Type(), 0), normalizeFirst);
  Value first = k.select(later, lse, zero);
  // Of a row already less its log-sum-exp: near zero, and NaN or -inf as is.
  Value rest = k.addF(k.subF(sum.maximum, lse), sum.logarithm);
  Value finite = k.cmpF(Predicate::OEQ, k.subF(lse, lse), zero);
  lse = k.select(arith::AndIOp::create(k.op(), later, finite), rest, lse);
  Value last = k.select(normalizeLast, lse, zero);
  Value values = k.slot(body.resultSlot(0), k.f32());
  Type idType = cast<RankedTensorType>(op.getIds().getType()).getElementType();
  Value ids = k.slot(body.resultSlot(1), idType);
  k.store(lse, k.slot(body.resultSlot(2), k.f32()), row);
  Value found =
      k.toIndex(k.load(k.scratch(scratch.count, k.i64()), k.index(0)));
  found = k.min(found, wanted);
  // Less an infinite or NaN constant nothing can rank.
  Value ranks = k.cmpF(Predicate::OEQ, k.subF(first, first), zero);
  found = k.select(ranks, found, k.index(0));
  Value start = k.mul(row, k0);
  k.forLoop(k.index(0), k.index(k0), 1, [&](Value i) {
    Value taken = k.less(i, found);
    Value x = k.load(k.scratch(scratch.values, k.f32()), i);
    x = k.subF(k.subF(x, first), last);
    Value id = k.load(k.scratch(scratch.ids, k.i32()), i);
    if (!idType.isInteger(32))
      id = arith::ExtSIOp::create(k.op(), idType, id);
    k.store(k.select(taken, x, k.constantF(-infinity)), values,
            k.add(start, i));
    k.store(k.select(taken, id, k.constantInt(idType, -1)), ids,
            k.add(start, i));
  });
}

LogicalResult dragoman::lowerSelect(plan::KernelOp kernel, KernelBuilder &k) {
  KernelBody body(kernel, k);
  auto ops = kernel.getBody().front().getOps<xf::SelectOp>();
  auto op = *ops.begin();
  std::optional<StridedView> logits = body.view(op.getLogits());
  auto type = cast<RankedTensorType>(op.getLogits().getType());
  if (!logits || !logits->strides[1].isConstant(1) || type.isDynamicDim(1) ||
      type.getDimSize(1) < 1 || !type.getElementType().isF32() ||
      llvm::to_vector(body.yield().getOperands()) !=
          llvm::to_vector(ValueRange(op->getResults()))) {
    body.error(op) << "expected f32 logits in an argument, a static "
                      "vocabulary, and values, ids and lse as results";
    return body.status();
  }
  SelectEmitter emitter(body, op, *logits, type.getDimSize(1));
  emitter.prepare();
  k.forTiles([&](Value tile) { emitter.emitRow(tile); });
  return body.status();
}
