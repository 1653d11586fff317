//===- SchedulePass.cpp - Every kernel gets its schedule -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/tiling/Passes.h"
#include "compiler/tiling/Schedule.h"

#include "llvm/ADT/StringExtras.h"

namespace dragoman::tiling {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "compiler/tiling/Passes.h.inc"
} // namespace dragoman::tiling

using namespace dragoman;

namespace {

struct SchedulePass : tiling::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  void runOnOperation() override {
    TargetInfo target;
    Result<ScheduleOverrides> given =
        parseScheduleOverrides(llvm::join(overrides, "\n"));
    if (!given) {
      getOperation().emitError("overrides of schedules: ")
          << given.status().toString();
      return signalPassFailure();
    }
    target.overrides = *given;
    for (auto kernel : getOperation().getOps<plan::KernelOp>()) {
      llvm::FailureOr<KernelSchedule> decided = scheduleKernel(kernel, target);
      if (failed(decided))
        return signalPassFailure();
      kernel.setScheduleAttr(decided->schedule);
      kernel.setTiles(decided->tiles.str());
      kernel.setScratch(decided->scratchBytes);
    }
  }
};

} // namespace
