//===- BreakPasses.h - Planted wrong rewrites -------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `test-break-<pass>` does what a faulty <pass> could do: the result verifies,
// and means something else. Linked into dragoman-opt only.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_LIB_BREAKPASSES_H
#define DRAGOMAN_TEST_LIB_BREAKPASSES_H

namespace dragoman::test {

void registerBreakPasses();

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_LIB_BREAKPASSES_H
