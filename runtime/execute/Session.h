//===- Session.h - Runs the entries of a model ------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Session owns what a run changes: states, the work arena, per-thread
// scratch, the error block. Any number of sessions share a model; one session
// runs one entry at a time.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EXECUTE_SESSION_H
#define DRAGOMAN_RUNTIME_EXECUTE_SESSION_H

#include "runtime/device/Pool.h"
#include "runtime/execute/Model.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

class Trace;

/// A dense row-major tensor of the caller's.
struct TensorView {
  void *data = nullptr;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
};

struct SessionOptions {
  /// Where tiles are spread; null = the calling thread. Outlives the session.
  Pool *pool = nullptr;
  /// Most bytes that the session may allocate; 0 = no limit.
  uint64_t memoryLimitBytes = 0;
  /// Where every command's time goes; null = nowhere. Outlives the session.
  Trace *trace = nullptr;
  /// Fill arena and states with a pattern before use, so that memory() can say
  /// how far they were written. For tests of the peak formula; slow.
  bool measureMemory = false;
};

/// Bytes a session holds, and with measureMemory how many of them were needed.
struct MemoryReport {
  uint64_t arenaBytes = 0;   ///< by the formula of the last run
  uint64_t stateBytes = 0;   ///< by the states' shapes
  uint64_t scratchBytes = 0; ///< of all workers
  uint64_t otherBytes = 0;   ///< bookkeeping
  /// What is allocated now; buffers of earlier, larger runs are kept.
  uint64_t allocatedBytes = 0;
  /// 1 + the highest byte of the arena that the last run wrote; may exceed
  /// arenaBytes by up to 64 KiB if a kernel wrote past it.
  uint64_t arenaHighWater = 0;
  /// The same, summed over states, since reserve.
  uint64_t stateHighWater = 0;

  uint64_t total() const {
    return arenaBytes + stateBytes + scratchBytes + otherBytes;
  }
};

class Session {
public:
  explicit Session(std::shared_ptr<const Model> model,
                   const SessionOptions &options = {});
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const Model &model() const;
  Pool &pool() const;

  /// Sets the dimensions of all states, e.g. {Rows, Cap, SrcRows, SrcCap}, and
  /// allocates those whose shape has one. States whose dimensions stay as they
  /// are keep their contents; the others' become undefined. What would exceed
  /// the limit is refused and changes nothing.
  Status reserve(const DimMap &stateDims);

  /// The memory of a state, to read and write between runs: row-major unless
  /// its layout is another. A state whose shape has no dimensions needs no
  /// reserve: it is allocated, zeroed, when it is first asked for or an entry
  /// that uses it first runs, and kept until the session ends. The pointer
  /// stays valid until reserve changes the state's shape.
  Result<TensorView> state(std::string_view name);

  /// Runs one entry. Tensors stand in the entry's order. Dimensions are bound
  /// by the inputs' shapes, then the outputs', then reserve; a contradiction, a
  /// wrong type, or a run beyond the memory limit is refused before anything is
  /// changed. `cancel` is looked at between commands. After a failing check the
  /// outputs are undefined.
  Status run(std::string_view entry, std::span<const TensorView> inputs,
             std::span<const TensorView> outputs,
             const std::atomic<bool> *cancel = nullptr);

  /// The shapes that `run` would expect of the outputs for these inputs, as far
  /// as inputs and reserved dims decide them; an undecided extent is -1.
  Result<std::vector<std::vector<int64_t>>>
  outputShapes(std::string_view entry,
               std::span<const TensorView> inputs) const;

  /// Memory held now.
  MemoryReport memory() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The largest n in [1, most] for which `bytes(n)`, not decreasing in n, is at
/// most `limit` (0 = no limit). If not even 1 fits, OutOfMemory saying "needs
/// X, limit is Y". An error of `bytes` is passed on.
Result<int64_t>
largestFitting(int64_t most, uint64_t limit,
               const std::function<Result<uint64_t>(int64_t)> &bytes);

/// "needs 3.0 MiB (3145728 bytes), limit is 1.0 MiB (1048576 bytes)".
Status memoryLimitError(uint64_t needed, uint64_t limit);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EXECUTE_SESSION_H
