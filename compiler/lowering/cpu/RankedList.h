//===- RankedList.h - The best k elements, kept in order --------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code for a list of at most `limit` (value, id) pairs, best first, filled in
// the order of ids: an equal value that comes later ranks behind.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_RANKEDLIST_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_RANKEDLIST_H

#include "compiler/lowering/cpu/KernelBuilder.h"

#include <functional>

namespace dragoman {

struct RankedList {
  using Value = mlir::Value;

  KernelBuilder &k;
  Value values, ids; ///< memrefs, from element `first` on
  Value first;
  Value count; ///< memref<?xi64>, element 0
  Value limit; ///< at least 1
  /// i1: the scalar `x` ranks before `y`.
  std::function<Value(Value x, Value y)> before;

  void clear();
  Value length();
  /// Inserts unless the list is full of values that x does not rank before.
  /// `id` is of the element type of `ids`.
  void insert(Value x, Value id);
  Value valueAt(Value i) { return k.load(values, k.add(first, i)); }
  Value idAt(Value i) { return k.load(ids, k.add(first, i)); }
};

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_RANKEDLIST_H
