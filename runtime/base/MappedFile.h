//===- MappedFile.h - Files mapped for reading ------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_BASE_MAPPEDFILE_H
#define DRAGOMAN_RUNTIME_BASE_MAPPEDFILE_H

#include "runtime/base/Status.h"

#include <string>
#include <string_view>
#include <utility>

namespace dragoman {

/// A regular file, mapped read-only for as long as the object lives. An empty
/// file gives empty bytes. Somebody who shortens the file meanwhile makes reads
/// behind its new end fault, as with any mapping.
class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept
      : address(std::exchange(other.address, nullptr)),
        length(std::exchange(other.length, 0)) {}
  MappedFile &operator=(MappedFile &&other) noexcept {
    std::swap(address, other.address);
    std::swap(length, other.length);
    return *this;
  }
  ~MappedFile();

  /// NotFound if there is no such file, InvalidData if it is not a regular one.
  /// Never blocks on a FIFO.
  static Result<MappedFile> open(const std::string &path);

  std::string_view bytes() const {
    return {static_cast<const char *>(address), length};
  }

  /// Asks for huge pages over the part that begins at `offset`; a hint only.
  void adviseHugePages(size_t offset) const;

private:
  void *address = nullptr;
  size_t length = 0;
};

/// The contents of a regular file as a string.
Result<std::string> readFile(const std::string &path);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_BASE_MAPPEDFILE_H
