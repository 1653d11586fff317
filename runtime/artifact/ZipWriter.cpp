//===- ZipWriter.cpp - Writing stored-only zip files ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Zip.h"

#include "runtime/artifact/ZipFormat.h"

#include <algorithm>

namespace dragoman {

using namespace zip;

namespace {

/// 1980-01-01 00:00, so that equal contents give equal files.
constexpr uint16_t fixedTime = 0;
constexpr uint16_t fixedDate = (1 << 5) | 1;
/// Upper byte: made on Unix, so that the mode below is used.
constexpr uint16_t madeBy = (3 << 8) | versionWide;
constexpr uint32_t fileMode = 0100644u << 16;

/// Local offset of the CRC.
constexpr uint64_t localCrcOffset = 14;
/// Header, size and both 64-bit values.
constexpr uint64_t wideLocalExtraBytes = 4 + 16;
/// Header and the alignment itself.
constexpr uint64_t minAlignExtraBytes = 4 + 2;

uint32_t narrow(uint64_t value, bool wide) {
  return wide ? noValue32 : static_cast<uint32_t>(value);
}

} // namespace

uint64_t ZipWriter::headerBytes(const std::string &name, uint64_t bytes) const {
  return localBytes + name.size() + (isWide(bytes) ? wideLocalExtraBytes : 0);
}

Status ZipWriter::begin(const std::string &name, uint64_t bytes,
                        uint32_t alignment) {
  if (!isSafeMemberName(name))
    return Status(StatusCode::InvalidArgument,
                  "expected a relative path without '..' as member, found '" +
                      name + "'");
  const bool wide = isWide(bytes);
  const uint64_t header = position();
  uint64_t offset = header + headerBytes(name, bytes);
  uint64_t padding = 0;
  if (offset % alignment != 0) {
    offset += minAlignExtraBytes;
    padding = minAlignExtraBytes + (alignment - offset % alignment) % alignment;
    offset = header + headerBytes(name, bytes) + padding;
  }
  std::string text;
  store<uint32_t>(text, localSignature);
  store<uint16_t>(text, wide ? versionWide : versionStored);
  store<uint16_t>(text, flagUtf8);
  store<uint16_t>(text, 0); // stored
  store<uint16_t>(text, fixedTime);
  store<uint16_t>(text, fixedDate);
  store<uint32_t>(text, 0); // the CRC, by end()
  store<uint32_t>(text, narrow(bytes, wide));
  store<uint32_t>(text, narrow(bytes, wide));
  store<uint16_t>(text, static_cast<uint16_t>(name.size()));
  store<uint16_t>(
      text, static_cast<uint16_t>((wide ? wideLocalExtraBytes : 0) + padding));
  text += name;
  if (wide) {
    store<uint16_t>(text, wideExtra);
    store<uint16_t>(text, 16);
    store<uint64_t>(text, bytes);
    store<uint64_t>(text, bytes);
  }
  if (padding > 0) {
    store<uint16_t>(text, alignExtra);
    store<uint16_t>(text, static_cast<uint16_t>(padding - 4));
    store<uint16_t>(text, static_cast<uint16_t>(alignment));
    text.append(padding - minAlignExtraBytes, '\0');
  }
  headerOffsets.push_back(header);
  done.push_back({name, offset, bytes, 0});
  return file.write(text);
}

Status ZipWriter::append(std::string_view bytes) {
  ZipMember &member = done.back();
  const uint64_t end = member.offset + member.bytes;
  if (bytes.size() > end - position())
    return Status(StatusCode::Internal,
                  "expected " + std::to_string(member.bytes) +
                      " bytes, found "
                      "more",
                  "member '" + member.name + "'");
  member.crc = crc32Of(bytes, member.crc);
  return file.write(bytes);
}

Status ZipWriter::end() {
  const ZipMember &member = done.back();
  if (position() != member.offset + member.bytes)
    return Status(StatusCode::Internal,
                  "expected " + std::to_string(member.bytes) +
                      " bytes, found " +
                      std::to_string(position() - member.offset),
                  "member '" + member.name + "'");
  std::string crc;
  store<uint32_t>(crc, member.crc);
  return file.writeAt(headerOffsets.back() + localCrcOffset, crc);
}

Status ZipWriter::replace(size_t index, std::string_view bytes) {
  ZipMember &member = done[index];
  if (bytes.size() != member.bytes)
    return Status(StatusCode::Internal,
                  "expected " + std::to_string(member.bytes) +
                      " bytes, found " + std::to_string(bytes.size()),
                  "member '" + member.name + "'");
  member.crc = crc32Of(bytes);
  std::string crc;
  store<uint32_t>(crc, member.crc);
  DRAGOMAN_RETURN_IF_ERROR(
      file.writeAt(headerOffsets[index] + localCrcOffset, crc));
  return file.writeAt(member.offset, bytes);
}

void ZipWriter::storeCentral(std::string &out, size_t index) const {
  const ZipMember &member = done[index];
  const uint64_t header = headerOffsets[index];
  const bool wideSize = isWide(member.bytes);
  const bool wideHeader = isWide(header);
  const uint16_t fields = (wideSize ? 2 : 0) + (wideHeader ? 1 : 0);
  store<uint32_t>(out, centralSignature);
  store<uint16_t>(out, madeBy);
  store<uint16_t>(out, fields ? versionWide : versionStored);
  store<uint16_t>(out, flagUtf8);
  store<uint16_t>(out, 0); // stored
  store<uint16_t>(out, fixedTime);
  store<uint16_t>(out, fixedDate);
  store<uint32_t>(out, member.crc);
  store<uint32_t>(out, narrow(member.bytes, wideSize));
  store<uint32_t>(out, narrow(member.bytes, wideSize));
  store<uint16_t>(out, static_cast<uint16_t>(member.name.size()));
  store<uint16_t>(out, fields ? 4 + 8 * fields : 0);
  store<uint16_t>(out, 0); // comment
  store<uint16_t>(out, 0); // disk
  store<uint16_t>(out, 0); // internal attributes
  store<uint32_t>(out, fileMode);
  store<uint32_t>(out, narrow(header, wideHeader));
  out += member.name;
  if (fields == 0)
    return;
  store<uint16_t>(out, wideExtra);
  store<uint16_t>(out, 8 * fields);
  if (wideSize) {
    store<uint64_t>(out, member.bytes);
    store<uint64_t>(out, member.bytes);
  }
  if (wideHeader)
    store<uint64_t>(out, header);
}

namespace {

void storeWideEnd(std::string &out, uint64_t count, uint64_t start,
                  uint64_t bytes) {
  store<uint32_t>(out, wideEndSignature);
  store<uint64_t>(out, wideEndBytes - 12);
  store<uint16_t>(out, madeBy);
  store<uint16_t>(out, versionWide);
  store<uint32_t>(out, 0); // disk
  store<uint32_t>(out, 0); // disk of the directory
  store<uint64_t>(out, count);
  store<uint64_t>(out, count);
  store<uint64_t>(out, bytes);
  store<uint64_t>(out, start);
  store<uint32_t>(out, wideLocatorSignature);
  store<uint32_t>(out, 0); // disk of the record before
  store<uint64_t>(out, start + bytes);
  store<uint32_t>(out, 1); // disks
}

} // namespace

Status ZipWriter::finish() {
  const uint64_t start = position();
  const uint64_t count = done.size();
  std::string text;
  for (size_t i = 0; i < count; ++i)
    storeCentral(text, i);
  const uint64_t bytes = text.size();
  const bool wide = count >= noValue16 || isWide(bytes) || isWide(start);
  if (wide)
    storeWideEnd(text, count, start, bytes);
  const uint16_t narrowCount = wide ? noValue16 : static_cast<uint16_t>(count);
  store<uint32_t>(text, endSignature);
  store<uint16_t>(text, 0); // disk
  store<uint16_t>(text, 0); // disk of the directory
  store<uint16_t>(text, narrowCount);
  store<uint16_t>(text, narrowCount);
  store<uint32_t>(text, narrow(bytes, wide));
  store<uint32_t>(text, narrow(start, wide));
  store<uint16_t>(text, 0); // comment
  return file.write(text);
}

} // namespace dragoman
