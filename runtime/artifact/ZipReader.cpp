//===- ZipReader.cpp - Reading stored-only zip files ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Zip.h"

#include "runtime/artifact/ZipFormat.h"
#include "runtime/base/Utf8.h"

#include <algorithm>
#include <unordered_set>

#include <zlib.h>

namespace dragoman {

using namespace zip;

bool isSafeMemberName(std::string_view name) {
  constexpr size_t maxBytes = 1024;
  if (name.empty() || name.size() > maxBytes || !isValidUtf8(name))
    return false;
  for (unsigned char byte : name)
    if (byte < 0x20 || byte == 0x7F || byte == '\\' || byte == ':')
      return false;
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..")
      return false;
    if (slash == std::string_view::npos)
      return true;
    name.remove_prefix(slash + 1);
  }
}

uint32_t crc32Of(std::string_view bytes, uint32_t crc) {
  return static_cast<uint32_t>(crc32_z(
      crc, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

namespace {

Status damaged(std::string message) {
  return Status(StatusCode::InvalidData, std::move(message));
}

std::string number(uint64_t value) { return std::to_string(value); }

/// A name as it may appear in a message.
std::string printable(std::string_view name) {
  constexpr size_t limit = 80;
  std::string text(name.substr(0, limit));
  repairUtf8(text);
  for (char &character : text)
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7F)
      character = '?';
  return "'" + text + (name.size() > limit ? "...'" : "'");
}

/// Where the central directory lies and how many members it lists.
struct Directory {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t members = 0;
};

/// A member and the place of its local header.
struct Located {
  ZipMember member;
  uint64_t header = 0;
};

/// Offset of the end record: the last one whose comment ends with the file.
Result<uint64_t> findEnd(std::string_view file) {
  const uint64_t size = file.size();
  if (size < endBytes)
    return damaged("expected a zip file of at least " + number(endBytes) +
                   " bytes, found " + number(size) + " bytes");
  const uint64_t farthest =
      size - endBytes - std::min<uint64_t>(size - endBytes, noValue16);
  for (uint64_t at = size - endBytes + 1; at-- > farthest;)
    if (load<uint32_t>(file, at) == endSignature &&
        at + endBytes + load<uint16_t>(file, at + 20) == size)
      return at;
  return damaged("expected a zip directory at the end of the file, found none "
                 "in " +
                 number(size) + " bytes; the file is cut or no zip");
}

/// Replaces those fields of `directory` that the 32-bit record leaves open.
Status readWideEnd(std::string_view file, uint64_t end, Directory &directory) {
  if (end < wideLocatorBytes + wideEndBytes)
    return damaged("expected a 64-bit end record, found no room for it");
  const uint64_t locator = end - wideLocatorBytes;
  if (load<uint32_t>(file, locator) != wideLocatorSignature)
    return damaged("expected a 64-bit end locator, found none");
  const uint64_t wide = load<uint64_t>(file, locator + 8);
  if (wide != locator - wideEndBytes)
    return damaged("expected the 64-bit end record at byte " +
                   number(locator - wideEndBytes) +
                   ", found it said to be at " + number(wide));
  if (load<uint32_t>(file, wide) != wideEndSignature ||
      load<uint64_t>(file, wide + 4) != wideEndBytes - 12)
    return damaged("expected a 64-bit end record at byte " + number(wide) +
                   ", found something else");
  if (load<uint32_t>(file, locator + 4) != 0 ||
      load<uint32_t>(file, locator + 16) != 1 ||
      load<uint32_t>(file, wide + 16) != 0 ||
      load<uint32_t>(file, wide + 20) != 0)
    return damaged("expected one disk, found several");
  const Directory said{load<uint64_t>(file, wide + 48),
                       load<uint64_t>(file, wide + 40),
                       load<uint64_t>(file, wide + 32)};
  const auto agrees = [](uint64_t narrow, uint64_t open, uint64_t wideValue) {
    return narrow == open || narrow == wideValue;
  };
  if (!agrees(directory.members, noValue16, said.members) ||
      !agrees(directory.bytes, noValue32, said.bytes) ||
      !agrees(directory.offset, noValue32, said.offset) ||
      load<uint64_t>(file, wide + 24) != said.members)
    return damaged("expected 32-bit and 64-bit end records to agree, found a "
                   "contradiction");
  directory = said;
  // The directory ends where the 64-bit record begins.
  if (directory.offset > wide || directory.bytes != wide - directory.offset)
    return damaged("expected the directory to end at byte " + number(wide) +
                   ", found offset " + number(directory.offset) + " and size " +
                   number(directory.bytes));
  return Status::ok();
}

Result<Directory> findDirectory(std::string_view file) {
  Result<uint64_t> end = findEnd(file);
  if (!end)
    return end.status();
  Directory directory{load<uint32_t>(file, *end + 16),
                      load<uint32_t>(file, *end + 12),
                      load<uint16_t>(file, *end + 10)};
  if (load<uint16_t>(file, *end + 4) != 0 ||
      load<uint16_t>(file, *end + 6) != 0 ||
      load<uint16_t>(file, *end + 8) != directory.members)
    return damaged("expected one disk, found several");
  const bool isWide = directory.members == noValue16 ||
                      directory.bytes == noValue32 ||
                      directory.offset == noValue32;
  if (isWide) {
    DRAGOMAN_RETURN_IF_ERROR(readWideEnd(file, *end, directory));
    return directory;
  }
  if (directory.offset > *end || directory.bytes != *end - directory.offset)
    return damaged("expected the directory to end at byte " + number(*end) +
                   ", found offset " + number(directory.offset) + " and size " +
                   number(directory.bytes));
  return directory;
}

/// Fills the fields that the 32-bit header leaves open from the 64-bit extra
/// field, which must hold exactly those.
Status readWideExtra(std::string_view extra, uint64_t &bytes, uint64_t &stored,
                     uint64_t &header) {
  std::string_view wide;
  bool found = false;
  while (extra.size() >= 4) {
    const uint16_t id = load<uint16_t>(extra, 0);
    const uint64_t length = load<uint16_t>(extra, 2);
    if (length > extra.size() - 4)
      return damaged("expected extra fields inside the header, found one of " +
                     number(length) + " bytes");
    if (id == wideExtra) {
      if (found)
        return damaged("expected one 64-bit extra field, found two");
      found = true;
      wide = extra.substr(4, length);
    }
    extra.remove_prefix(4 + length);
  }
  uint64_t *const fields[] = {&bytes, &stored, &header};
  for (uint64_t *field : fields) {
    if (*field != noValue32)
      continue;
    if (wide.size() < 8)
      return damaged("expected a 64-bit extra field with the sizes that the "
                     "header leaves open, found none");
    *field = load<uint64_t>(wide, 0);
    wide.remove_prefix(8);
  }
  if (!wide.empty())
    return damaged("expected 64-bit fields only where the header leaves them "
                   "open, found " +
                   number(wide.size()) + " more bytes");
  return Status::ok();
}

/// Reads the central header at the front of `rest` and drops it.
Result<Located> readCentral(std::string_view &rest) {
  if (rest.size() < centralBytes || load<uint32_t>(rest, 0) != centralSignature)
    return damaged("expected a member in the zip directory, found " +
                   number(rest.size()) + " other bytes");
  const uint64_t nameBytes = load<uint16_t>(rest, 28);
  const uint64_t extraBytes = load<uint16_t>(rest, 30);
  const uint64_t commentBytes = load<uint16_t>(rest, 32);
  const uint64_t total = centralBytes + nameBytes + extraBytes + commentBytes;
  if (rest.size() < total)
    return damaged("expected a member of " + number(total) +
                   " bytes in the zip directory, found " + number(rest.size()));
  Located located;
  ZipMember &member = located.member;
  const std::string_view name = rest.substr(centralBytes, nameBytes);
  const std::string where = "member " + printable(name);
  if (!isSafeMemberName(name))
    return damaged("expected a relative path without '..', found " +
                   printable(name));
  if (load<uint16_t>(rest, 8) & flagEncrypted)
    return damaged("expected a plain member, found an encrypted one").at(where);
  if (load<uint16_t>(rest, 10) != 0)
    return damaged("expected a stored member, found compression method " +
                   number(load<uint16_t>(rest, 10)))
        .at(where);
  if (load<uint16_t>(rest, 34) != 0)
    return damaged("expected one disk, found several").at(where);
  member.name = std::string(name);
  member.crc = load<uint32_t>(rest, 16);
  uint64_t stored = load<uint32_t>(rest, 20);
  member.bytes = load<uint32_t>(rest, 24);
  located.header = load<uint32_t>(rest, 42);
  Status wide = readWideExtra(rest.substr(centralBytes + nameBytes, extraBytes),
                              member.bytes, stored, located.header);
  if (!wide)
    return wide.at(where);
  if (stored != member.bytes)
    return damaged("expected equal sizes of a stored member, found " +
                   number(stored) + " and " + number(member.bytes))
        .at(where);
  rest.remove_prefix(total);
  return located;
}

/// Finds the data behind the local header, which must lie before the directory.
Status locateData(std::string_view file, uint64_t directory, Located &located) {
  ZipMember &member = located.member;
  const uint64_t header = located.header;
  const std::string where = "member '" + member.name + "'";
  if (header > directory || directory - header < localBytes ||
      load<uint32_t>(file, header) != localSignature)
    return damaged("expected a local header at byte " + number(header) +
                   ", found none")
        .at(where);
  const uint64_t nameBytes = load<uint16_t>(file, header + 26);
  const uint64_t extraBytes = load<uint16_t>(file, header + 28);
  member.offset = header + localBytes + nameBytes + extraBytes;
  if (member.offset > directory || directory - member.offset < member.bytes)
    return damaged("expected " + number(member.bytes) + " bytes from byte " +
                   number(member.offset) + " on, found the directory at byte " +
                   number(directory))
        .at(where);
  if (file.substr(header + localBytes, nameBytes) != member.name)
    return damaged("expected the same name in the local header, found " +
                   printable(file.substr(header + localBytes, nameBytes)))
        .at(where);
  if (load<uint16_t>(file, header + 8) != 0)
    return damaged("expected a stored member, found compression method " +
                   number(load<uint16_t>(file, header + 8)))
        .at(where);
  return Status::ok();
}

/// No two members may share bytes.
Status checkOverlaps(const std::vector<Located> &members) {
  std::vector<const Located *> order;
  for (const Located &located : members)
    order.push_back(&located);
  std::sort(order.begin(), order.end(), [](const Located *a, const Located *b) {
    return a->header < b->header;
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const ZipMember &before = order[i - 1]->member;
    const uint64_t end = before.offset + before.bytes;
    if (order[i]->header < end)
      return damaged("expected members apart, found '" + order[i]->member.name +
                     "' at byte " + number(order[i]->header) + " inside '" +
                     before.name + "', which ends at byte " + number(end));
  }
  return Status::ok();
}

} // namespace

Result<std::vector<ZipMember>> readZip(std::string_view file) {
  Result<Directory> directory = findDirectory(file);
  if (!directory)
    return directory.status();
  std::string_view rest = file.substr(directory->offset, directory->bytes);
  // Each member takes at least one record, so a lie about the count cannot
  // make this loop long.
  std::vector<Located> located;
  for (uint64_t i = 0; i < directory->members; ++i) {
    Result<Located> next = readCentral(rest);
    if (!next)
      return next.status();
    DRAGOMAN_RETURN_IF_ERROR(locateData(file, directory->offset, *next));
    located.push_back(std::move(*next));
  }
  if (!rest.empty())
    return damaged("expected " + number(directory->members) +
                   " members in the zip directory, found " +
                   number(rest.size()) + " more bytes");
  DRAGOMAN_RETURN_IF_ERROR(checkOverlaps(located));

  std::unordered_set<std::string_view> names;
  std::vector<ZipMember> members;
  for (Located &one : located) {
    if (!names.insert(one.member.name).second)
      return damaged("expected each member once, found '" + one.member.name +
                     "' again");
  }
  for (Located &one : located)
    members.push_back(std::move(one.member));
  return members;
}

} // namespace dragoman
