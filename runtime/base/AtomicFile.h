//===- AtomicFile.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_BASE_ATOMICFILE_H
#define DRAGOMAN_RUNTIME_BASE_ATOMICFILE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dragoman {

/// A file under construction beside its destination. commit() makes it durable
/// and moves it into place; without commit() nothing remains. A death at any
/// instant leaves the old or the new file. Where the file system allows, the
/// file has no name until commit(), so not even a killed process leaves one.
class AtomicFile {
public:
  /// Refuses a destination that exists and is no regular file.
  static Result<std::unique_ptr<AtomicFile>> create(const std::string &path);
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// Appends at position().
  Status write(const void *data, size_t bytes);
  Status write(std::string_view text) {
    return write(text.data(), text.size());
  }
  /// Appends `count` zero bytes.
  Status writeZeros(uint64_t count);
  /// Overwrites bytes below position().
  Status writeAt(uint64_t offset, std::string_view bytes);
  uint64_t position() const { return end; }

  /// fsync, rename, fsync of the folder. Call once, last.
  Status commit();

private:
  AtomicFile() = default;
  Status link();

  std::string destination;
  std::string folder;
  std::string temporary; ///< empty while the file has no name
  int descriptor = -1;
  uint64_t end = 0;
};

/// Writes a whole file that way.
Status writeFileAtomically(const std::string &path, std::string_view bytes);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_BASE_ATOMICFILE_H
