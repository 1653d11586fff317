//===- ModelImpl.h - Private parts of Model ---------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to runtime/execute: what Session needs of a Model.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EXECUTE_MODELIMPL_H
#define DRAGOMAN_RUNTIME_EXECUTE_MODELIMPL_H

#include "runtime/execute/Model.h"
#include "runtime/execute/Program.h"

namespace dragoman {

struct Model::Impl {
  std::unique_ptr<ModelSource> source;
  std::unique_ptr<Device> device;
  DeviceModule *code = nullptr;
  std::string level;
  std::vector<std::string> stateDims; ///< sorted
  /// Bytes of each state, over stateDims.
  std::vector<DimProgram> stateBytes;
  /// The append axis' extent of each state, over stateDims.
  std::vector<DimProgram> stateCapacity;
  std::vector<bool> isFixedState; ///< the shape has no dimensions
  std::map<std::string, Program, std::less<>> programs;

  ~Impl();
  Status loadCode(const LoadOptions &options);
  Status buildStates();
  Status buildPrograms();
  /// The program of an entry, or NotFound naming those there are.
  Result<const Program *> program(std::string_view name) const;
  /// Bytes of every state for dims in the order of stateDims; refuses negative
  /// dims, sizes beyond int64 and capacities that are no multiple of 16.
  Result<std::vector<uint64_t>>
  stateSizes(const std::vector<int64_t> &dims) const;
};

/// The manifest's code object to load: the best level that the processor has,
/// or `options.level`. `name` is the artifact's, for messages.
Result<const CodeDesc *> chooseCode(const Manifest &manifest,
                                    const std::string &name,
                                    const LoadOptions &options);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EXECUTE_MODELIMPL_H
