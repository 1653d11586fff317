//===- SessionImpl.h - Private parts of Session -----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to runtime/execute. Memory of a session, and one run over it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EXECUTE_SESSIONIMPL_H
#define DRAGOMAN_RUNTIME_EXECUTE_SESSIONIMPL_H

#include "runtime/device/Device.h"
#include "runtime/execute/ModelImpl.h"
#include "runtime/execute/Session.h"

namespace dragoman {

/// Device memory with one owner.
struct Buffer {
  void *data = nullptr;
  uint64_t bytes = 0; ///< allocated
};

/// States, arena and scratch of a session. Sizes are decided before anything is
/// allocated; what would exceed the limit is refused and changes nothing.
class SessionMemory {
public:
  SessionMemory(Device &device, const SessionOptions &options);
  ~SessionMemory();

  /// Bytes behind the arena that show a write past its end.
  static constexpr uint64_t guardBytes = 64 * 1024;

  /// States whose shape has no dimensions (`isFixed`) stay as they are.
  Status reserveStates(const std::vector<uint64_t> &sizes,
                       const std::vector<bool> &keep,
                       const std::vector<bool> &isFixed);
  /// Allocates a state of a fixed shape, zeroed, unless it is there.
  Status provideFixedState(size_t index, uint64_t bytes);
  /// Makes room for one run. `other` is the bookkeeping of the run.
  Status prepareRun(uint64_t arenaBytes, uint64_t scratchBytes, uint64_t other);

  bool hasStates() const { return isReserved; }
  void *state(size_t index) const { return states[index].data; }
  uint64_t stateBytes(size_t index) const { return stateSizes[index]; }
  char *arenaData() const { return static_cast<char *>(arena.data); }
  void *scratchData() const { return scratch.data; }
  MemoryReport report() const;

private:
  uint64_t guard() const { return options.measureMemory ? guardBytes : 0; }
  Status checkLimit(uint64_t needed) const;
  Status resize(Buffer &buffer, uint64_t bytes);
  void release(Buffer &buffer);

  Device &device;
  const SessionOptions options;
  std::vector<Buffer> states;
  std::vector<uint64_t> stateSizes;
  std::vector<bool> isFixedState;
  bool isReserved = false;
  Buffer arena, scratch;
  uint64_t lastArenaBytes = 0, lastScratchBytes = 0, otherBytes = 0;
};

struct Session::Impl {
  std::shared_ptr<const Model> model;
  SessionOptions options;
  InlinePool ownPool;
  Device &device;
  SessionMemory memory;
  std::vector<int64_t> stateDims; ///< as Model::stateDims; empty until reserve
  std::atomic<bool> isRunning{false};

  // Bookkeeping of the run in progress, kept to avoid allocations.
  std::span<const TensorView> inputs, outputs;
  std::vector<int64_t> dimValues;  ///< of Program::dimNames
  std::vector<int64_t> exprValues; ///< Program::exprs under the run's dims
  std::vector<void *> slotData;    ///< address of every slot
  std::vector<void *> slotArgs;    ///< of one launch
  std::vector<int64_t> dimArgs;
  ErrorBlock error;

  Impl(std::shared_ptr<const Model> model, const SessionOptions &options);

  Pool &pool() { return options.pool ? *options.pool : ownPool; }
  Status run(std::string_view entry, std::span<const TensorView> inputs,
             std::span<const TensorView> outputs,
             const std::atomic<bool> *cancel);
  Status bind(class Binding &binding, std::span<const TensorView> inputs,
              std::span<const TensorView> outputs) const;
  Status provideStates(const Program &program);
  Status placeSlot(const Program &program, uint32_t number);
  Status execute(const Program &program, const std::atomic<bool> *cancel);
  Status steps(const Program &program, size_t first, size_t end,
               const std::atomic<bool> *cancel);
  Status loop(const Program &program, size_t begin,
              const std::atomic<bool> *cancel);
  Status step(const Program &program, size_t index);
  Status dispatch(const Program &program, size_t index);
  int64_t value(Program::Expr expr) const { return exprValues[expr]; }
  Status siteStatus(const std::string &entry) const;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EXECUTE_SESSIONIMPL_H
