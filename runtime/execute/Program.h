//===- Program.h - An entry, ready for quick evaluation ---------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to runtime/execute. A Program is an EntryTable whose expressions are
// compiled and shared, whose indices are checked against the manifest, and
// whose kernels are looked up; a run only evaluates and launches.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EXECUTE_PROGRAM_H
#define DRAGOMAN_RUNTIME_EXECUTE_PROGRAM_H

#include "runtime/artifact/CommandTable.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/base/Status.h"
#include "runtime/device/Device.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dragoman {

struct Program {
  /// Number of an expression in `exprs`.
  using Expr = uint32_t;

  struct Axis {
    int32_t dim = -1; ///< number of the dimension it binds, or -1
    Expr extent = 0;
  };
  using Shape = std::vector<Axis>;

  struct Slot {
    Expr offset = 0;
    Expr bytes = 0;
  };

  /// The commands between a LoopBegin and its LoopEnd, and what changes with
  /// the number of the iteration.
  struct Loop {
    size_t end = 0; ///< number of the LoopEnd
    Expr trips = 0;
    uint32_t dim = 0;            ///< in dimNames
    std::vector<Expr> exprs;     ///< that no inner loop changes as well
    std::vector<uint32_t> slots; ///< likewise
  };

  struct Step {
    DeviceKernel kernel;
    const KernelDesc *desc = nullptr;
    std::vector<Expr> dims;
    Expr tiles = 0;
    uint32_t loop = 0; ///< LoopBegin: number in `loops`
  };

  EntryTable table;
  std::vector<std::string> dimNames; ///< table.dims, then the loops'
  std::vector<DimProgram> exprs;     ///< each distinct expression once
  std::vector<Shape> inputs, outputs;
  std::vector<Slot> slots; ///< as table.slots
  std::vector<Step> steps; ///< as table.commands
  std::vector<Loop> loops; ///< in the order of their begins
  /// The loop whose iterations change an expression or slot, or `noLoop`.
  std::vector<uint32_t> loopOfExpr, loopOfSlot;
  static constexpr uint32_t noLoop = UINT32_MAX;
  Expr arenaBytes = 0;
  int64_t scratchBytes = 0; ///< largest of its kernels, rounded up to 64
  size_t mostSlots = 0;     ///< of one command
  size_t mostDims = 0;
  std::vector<uint32_t> states; ///< that its slots lie in, sorted

  /// Number of a dimension, or -1.
  int32_t dimNumber(std::string_view name) const;
  /// Bytes a session keeps for a run of it besides arena, states and scratch.
  uint64_t bookkeepingBytes() const;

  using FindKernel =
      std::function<Status(const KernelDesc &desc, DeviceKernel &out)>;
  /// `manifest` outlives the program.
  static Result<Program> build(EntryTable table, const Manifest &manifest,
                               const FindKernel &findKernel);
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EXECUTE_PROGRAM_H
