//===- RankedList.cpp - The best k elements, kept in order ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/RankedList.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

void RankedList::clear() {
  k.store(k.constantInt(k.i64(), 0), count, k.index(0));
}

Value RankedList::length() { return k.toIndex(k.load(count, k.index(0))); }

void RankedList::insert(Value x, Value id) {
  mlir::ImplicitLocOpBuilder &b = k.op();
  Value no = k.constantInt(b.getI1Type(), 0);
  Value size = length();
  Value full = k.cmp(arith::CmpIPredicate::sge, size, limit);
  Value last = k.sub(limit, 1);
  Value rejected = k.ifElse(
      full, {b.getI1Type()},
      [&]() -> Values {
        Value better = before(x, valueAt(last));
        return {
            arith::XOrIOp::create(b, better, k.constantInt(b.getI1Type(), 1))};
      },
      [&]() -> Values { return {no}; })[0];
  Value free = k.select(full, last, size);
  k.ifElse(
      rejected, [] {},
      [&] {
        // Shift what ranks behind x by one; `place` moves to the front.
        auto loop =
            scf::WhileOp::create(b, TypeRange{k.indexType()}, ValueRange{free});
        {
          OpBuilder::InsertionGuard guard(b);
          Block *test = b.createBlock(&loop.getBefore(), {}, {k.indexType()},
                                      {b.getLoc()});
          Value place = test->getArgument(0);
          Value moves = k.ifElse(
              k.less(k.index(0), place), {b.getI1Type()},
              [&]() -> Values { return {before(x, valueAt(k.sub(place, 1)))}; },
              [&]() -> Values { return {no}; })[0];
          scf::ConditionOp::create(b, moves, ValueRange{place});
          Block *body = b.createBlock(&loop.getAfter(), {}, {k.indexType()},
                                      {b.getLoc()});
          Value from = body->getArgument(0), to = k.sub(from, 1);
          k.store(valueAt(to), values, k.add(first, from));
          k.store(idAt(to), ids, k.add(first, from));
          scf::YieldOp::create(b, ValueRange{to});
        }
        Value place = loop.getResult(0);
        k.store(x, values, k.add(first, place));
        k.store(id, ids, k.add(first, place));
        Value next = k.min(k.add(size, 1), limit);
        k.store(k.fromIndex(next, k.i64()), count, k.index(0));
      });
}
