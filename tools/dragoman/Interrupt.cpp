//===- Interrupt.cpp - Ctrl-C as a flag -----------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/Interrupt.h"

#include "tools/dragoman/SubCommand.h"

#include <csignal>
#include <unistd.h>

using namespace dragoman;

static std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only use lock-free atomics");

static void onSignal(int) {
  if (interrupted.exchange(true))
    _exit(exitInterrupted);
}

const std::atomic<bool> *dragoman::catchInterrupts() {
  // Without SA_RESTART a read that waits for input returns, too.
  struct sigaction action = {};
  action.sa_handler = onSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return &interrupted;
}
