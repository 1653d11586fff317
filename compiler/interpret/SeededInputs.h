//===- SeededInputs.h - Inputs of entries from xf.domain --------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of an argument come from its `xf.domain`, expressions in the named
// dimensions being evaluated for the shape class:
//   ids(n)       integers 0..n-1          length(n)   integers 1..n
//   position(n)  integers 0..n            distinct(n) different integers 0..n-1
//   range(a,b)   integers a..b            bool(p)     true with probability p
//   rows(n)      as ids(n)                distinct_rows(n)  as distinct(n)
//   normal(s)    N(0, s^2)                prob        uniform in [0, 1)
// Without one: normal(1), range(0,1), bool(0.5) by the element type.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_INTERPRET_SEEDEDINPUTS_H
#define DRAGOMAN_COMPILER_INTERPRET_SEEDEDINPUTS_H

#include "compiler/interpret/Interpreter.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace dragoman::interpret {

/// Sizes of the named dimensions: the entries' usual names by their meaning
/// (T <= K <= Cap, R <= Rows, S <= SrcCap, ...), others by the class.
class ShapeClass {
public:
  /// Classes 0..count()-1: one of everything; small primes; beyond a tile.
  static unsigned count() { return 3; }
  explicit ShapeClass(unsigned number) : number(number) {}
  const char *name() const;
  int64_t size(const std::string &dim) const;
  /// Of a dynamic axis without a name.
  int64_t unnamed() const;
  /// "B=2 S=5" for the names of a function's arguments.
  std::string text(mlir::FunctionOpInterface function) const;

private:
  unsigned number;
};

/// Values for every argument of a function, states included, in order; they
/// depend on the argument's name or number, the class and the seed alone.
Result<std::vector<Tensor>> seededArguments(mlir::FunctionOpInterface function,
                                            const ShapeClass &shapes,
                                            uint64_t seed);

} // namespace dragoman::interpret

#endif // DRAGOMAN_COMPILER_INTERPRET_SEEDEDINPUTS_H
