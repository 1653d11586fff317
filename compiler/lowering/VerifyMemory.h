//===- VerifyMemory.h - No command reads what another overwrote -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_VERIFYMEMORY_H
#define DRAGOMAN_COMPILER_LOWERING_VERIFYMEMORY_H

#include "dialects/plan/Plan.h"

#include "mlir/IR/SymbolTable.h"

namespace dragoman {

/// Fails with a diagnostic unless the commands of an entry in slots use memory
/// rightly for all dimensions. It proves, on expressions and in order, that
///  - every expression is in the entry's dimensions,
///  - a slot of the arena, rounded up to lines of 64 bytes, lies inside it,
///  - a part lies inside what it is a part of, in every iteration of its loops,
///  - a command reads a slot only if this very slot was written, what it is a
///    part of, or all parts of it, and no bytes of it since but by its parts,
///  - what a dispatch writes overlaps none of its other operands,
///  - inputs and weights are never written, and every output is.
/// Slots that are equal are one place, whatever value lies there: that a
/// command reads the value it means is not seen here. Expects the form that
/// verify-stage=lowering checks: slots and commands, each dispatch with as many
/// slots as its kernel wants.
llvm::LogicalResult verifyMemory(plan::EntryOp entry,
                                 mlir::SymbolTable &symbols);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_VERIFYMEMORY_H
