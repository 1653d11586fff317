//===- Interrupt.h - Ctrl-C as a flag ---------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_INTERRUPT_H
#define DRAGOMAN_TOOLS_DRAGOMAN_INTERRUPT_H

#include <atomic>

namespace dragoman {

/// From now on SIGINT and SIGTERM set the flag instead of ending the process;
/// a second one ends it at once with code 130.
const std::atomic<bool> *catchInterrupts();

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_INTERRUPT_H
