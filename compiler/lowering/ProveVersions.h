//===- ProveVersions.h - Every command reads the values it means -*- C++
//-*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_PROVEVERSIONS_H
#define DRAGOMAN_COMPILER_LOWERING_PROVEVERSIONS_H

#include "compiler/lowering/EntryPlan.h"

namespace dragoman::lowering {

/// Walks the planned commands, loops twice, and keeps for every memory which
/// values lie in it. Emits an error and fails if a command reads a value whose
/// bytes another one has taken, or if an updated state is not returned. So it
/// proves all sharing but that of the arena's bytes by lifetimes, which
/// verifyMemory proves.
llvm::LogicalResult proveVersions(EntryPlan &plan);

} // namespace dragoman::lowering

#endif // DRAGOMAN_COMPILER_LOWERING_PROVEVERSIONS_H
