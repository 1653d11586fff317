//===- Zip.h - Stored-only zip files ----------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The container of artifacts: members are stored, never compressed, so that
// they can be used where the file is mapped. Any zip tool lists and extracts
// such a file.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_ZIP_H
#define DRAGOMAN_RUNTIME_ARTIFACT_ZIP_H

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A member: bytes [offset, offset + bytes) of the file.
struct ZipMember {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t crc = 0; ///< CRC-32 of the bytes; not verified by readZip
};

/// True for a relative path without empty, '.' or '..' parts, backslash, colon
/// or control character, of at most 1024 bytes of UTF-8.
bool isSafeMemberName(std::string_view name);

/// CRC-32 as in zip files; `crc` continues an earlier one.
uint32_t crc32Of(std::string_view bytes, uint32_t crc = 0);

/// The members in directory order. Trusts the central directory only; a local
/// header must merely agree with it. Refused, with what was expected and found:
/// no or a cut directory, compressed or encrypted members, unsafe or repeated
/// names, members that overlap each other or the directory, 64-bit records that
/// contradict the 32-bit ones, several disks.
Result<std::vector<ZipMember>> readZip(std::string_view file);

/// Writes a zip file from front to back.
class ZipWriter {
public:
  /// `file` must be empty and outlive the writer. Sizes and offsets from
  /// `wideFrom` on are written in 64-bit records.
  explicit ZipWriter(AtomicFile &file, uint64_t wideFrom = 0xFFFFFFFF)
      : file(file), wideFrom(wideFrom) {}

  /// Begins a member of exactly `bytes` bytes whose data starts at a multiple
  /// of `alignment` (a power of two up to 32768).
  Status begin(const std::string &name, uint64_t bytes, uint32_t alignment);
  /// Bytes from position() to the data of a member that begins here with
  /// alignment 1.
  uint64_t headerBytes(const std::string &name, uint64_t bytes) const;
  /// Appends to the current member.
  Status append(std::string_view bytes);
  /// Ends the current member; all its bytes must have been appended.
  Status end();
  /// Replaces the bytes of an ended member, by number, by as many others.
  Status replace(size_t member, std::string_view bytes);
  /// Writes the central directory. Call once, last.
  Status finish();

  const std::vector<ZipMember> &members() const { return done; }
  uint64_t position() const { return file.position(); }

private:
  bool isWide(uint64_t bytes) const { return bytes >= wideFrom; }
  /// Appends the directory's record of a member.
  void storeCentral(std::string &out, size_t index) const;

  AtomicFile &file;
  uint64_t wideFrom;
  std::vector<ZipMember> done;
  std::vector<uint64_t> headerOffsets;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_ZIP_H
