//===- Npy.cpp - Arrays in NumPy's file format ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/Npy.h"

#include "runtime/artifact/ZipFormat.h"
#include "runtime/base/AtomicFile.h"
#include "runtime/base/MappedFile.h"

#include <algorithm>
#include <cstring>

namespace dragoman {

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr size_t headerAlignment = 64;
constexpr size_t maxRank = 32;

struct TypeCode {
  ElementType type;
  std::string_view code; ///< as written
};

constexpr TypeCode typeCodes[] = {
    {ElementType::F32, "<f4"}, {ElementType::F64, "<f8"},
    {ElementType::F16, "<f2"}, {ElementType::I64, "<i8"},
    {ElementType::I32, "<i4"}, {ElementType::I8, "|i1"},
    {ElementType::U8, "|u1"},  {ElementType::I1, "|b1"},
};

Status damaged(std::string message) {
  return Status(StatusCode::InvalidData, std::move(message));
}

/// Reads the header's Python dictionary, which NumPy writes with exactly these
/// keys: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  Status parse(NpyArray &array, bool &columnMajor) {
    bool hasType = false, hasOrder = false, hasShape = false;
    DRAGOMAN_RETURN_IF_ERROR(expect('{'));
    while (!accept('}')) {
      std::string_view key;
      DRAGOMAN_RETURN_IF_ERROR(text(key));
      DRAGOMAN_RETURN_IF_ERROR(expect(':'));
      bool *seen = key == "descr"           ? &hasType
                   : key == "fortran_order" ? &hasOrder
                   : key == "shape"         ? &hasShape
                                            : nullptr;
      if (!seen || *seen)
        return damaged("expected descr, fortran_order and shape once each, "
                       "found '" +
                       std::string(key) + "'");
      *seen = true;
      if (seen == &hasType)
        DRAGOMAN_RETURN_IF_ERROR(type(array.type));
      else if (seen == &hasOrder)
        DRAGOMAN_RETURN_IF_ERROR(boolean(columnMajor));
      else
        DRAGOMAN_RETURN_IF_ERROR(shape(array.shape));
      if (!accept(',') && peek() != '}')
        return damaged("expected ',' or '}' in the header, found " + found());
    }
    if (!hasType || !hasOrder || !hasShape)
      return damaged("expected descr, fortran_order and shape, found fewer");
    return peek() == '\0'
               ? Status::ok()
               : damaged("expected the end of the header, found " + found());
  }

private:
  void skipSpace() {
    rest.remove_prefix(
        std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  }
  char peek() {
    skipSpace();
    return rest.empty() ? '\0' : rest[0];
  }
  std::string found() {
    return rest.empty() ? "its end"
                        : "'" + std::string(rest.substr(0, 20)) + "'";
  }
  bool accept(char wanted) {
    if (peek() != wanted)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  Status expect(char wanted) {
    if (accept(wanted))
      return Status::ok();
    return damaged(std::string("expected '") + wanted +
                   "' in the header, found " + found());
  }
  Status text(std::string_view &out) {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      return damaged("expected a text in the header, found " + found());
    const size_t end = rest.find(quote, 1);
    if (end == std::string_view::npos)
      return damaged("expected the end of a text in the header, found " +
                     found());
    out = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return Status::ok();
  }
  Status type(ElementType &out) {
    if (peek() == '[')
      return damaged("expected one element type, found a structured one");
    std::string_view code;
    DRAGOMAN_RETURN_IF_ERROR(text(code));
    if (code.find('O') != std::string_view::npos)
      return damaged("expected numbers, found Python objects; they are never "
                     "loaded");
    for (const TypeCode &known : typeCodes) {
      // One-byte types may carry any byte order mark.
      const bool oneByte = known.code[0] == '|';
      if (code == known.code || (oneByte && !code.empty() &&
                                 code.substr(1) == known.code.substr(1))) {
        out = known.type;
        return Status::ok();
      }
    }
    return damaged("expected element type <f4, <f8, <f2, <i8, <i4, |i1, |u1 or "
                   "|b1, found " +
                   std::string(code));
  }
  Status boolean(bool &out) {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view name = value ? "True" : "False";
      if (rest.substr(0, name.size()) != name)
        continue;
      rest.remove_prefix(name.size());
      out = value;
      return Status::ok();
    }
    return damaged("expected True or False in the header, found " + found());
  }
  Status shape(std::vector<int64_t> &out) {
    DRAGOMAN_RETURN_IF_ERROR(expect('('));
    while (!accept(')')) {
      peek();
      int64_t extent = 0;
      size_t digits = 0;
      while (digits < rest.size() && rest[digits] >= '0' &&
             rest[digits] <= '9') {
        if (__builtin_mul_overflow(extent, 10, &extent) ||
            __builtin_add_overflow(extent, rest[digits] - '0', &extent))
          return damaged("expected an extent below 2^63, found " + found());
        ++digits;
      }
      if (digits == 0)
        return damaged("expected an extent >= 0 in the shape, found " +
                       found());
      if (out.size() == maxRank)
        return damaged("expected at most " + std::to_string(maxRank) +
                       " axes, found more");
      rest.remove_prefix(digits);
      out.push_back(extent);
      if (!accept(',') && peek() != ')')
        return damaged("expected ',' or ')' in the shape, found " + found());
    }
    return Status::ok();
  }

  std::string_view rest;
};

Result<int64_t> bytesOf(ElementType type, const std::vector<int64_t> &shape) {
  int64_t bytes = elementSize(type);
  bool empty = false;
  for (int64_t extent : shape)
    empty = empty || extent == 0;
  for (int64_t extent : shape)
    if (!empty && __builtin_mul_overflow(bytes, extent, &bytes))
      return damaged("expected a size below 2^63 bytes, found a shape beyond "
                     "it");
  return empty ? 0 : bytes;
}

/// Copies column-major `source` of `shape` to row-major order.
void toRowMajor(std::string_view source, size_t size,
                const std::vector<int64_t> &shape, std::vector<char> &out) {
  const size_t rank = shape.size();
  std::vector<int64_t> stride(rank, 1), index(rank, 0);
  for (size_t axis = 1; axis < rank; ++axis)
    stride[axis] = stride[axis - 1] * shape[axis - 1];
  int64_t from = 0;
  for (size_t to = 0; to < out.size(); to += size) {
    std::memcpy(out.data() + to, source.data() + from * size, size);
    for (size_t axis = rank; axis-- > 0;) {
      from += stride[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

} // namespace

int64_t NpyArray::elements() const {
  return static_cast<int64_t>(bytes.size()) / elementSize(type);
}

Result<NpyArray> parseNpy(std::string_view file) {
  if (file.substr(0, magic.size()) != magic || file.size() < 10)
    return damaged("expected a .npy file, found something else");
  const auto major = static_cast<unsigned>(static_cast<uint8_t>(file[6]));
  if (major < 1 || major > 3)
    return damaged("expected .npy version 1 to 3, found " +
                   std::to_string(major));
  const size_t lengthBytes = major == 1 ? 2 : 4;
  const size_t headerStart = magic.size() + 2 + lengthBytes;
  if (file.size() < headerStart)
    return damaged("expected a header length, found the end of the file");
  const uint64_t length =
      major == 1 ? zip::load<uint16_t>(file, 8) : zip::load<uint32_t>(file, 8);
  if (length > file.size() - headerStart)
    return damaged("expected a header of " + std::to_string(length) +
                   " bytes, found " +
                   std::to_string(file.size() - headerStart));
  NpyArray array;
  bool columnMajor = false;
  DRAGOMAN_RETURN_IF_ERROR(
      HeaderParser(file.substr(headerStart, length)).parse(array, columnMajor));
  const std::string_view data = file.substr(headerStart + length);
  Result<int64_t> bytes = bytesOf(array.type, array.shape);
  if (!bytes)
    return bytes.status();
  if (static_cast<uint64_t>(*bytes) != data.size())
    return damaged("expected " + std::to_string(*bytes) +
                   " bytes by type and shape, found " +
                   std::to_string(data.size()));
  if (!columnMajor) {
    array.bytes.assign(data.begin(), data.end());
    return array;
  }
  array.bytes.resize(data.size());
  toRowMajor(data, static_cast<size_t>(elementSize(array.type)), array.shape,
             array.bytes);
  return array;
}

Result<NpyArray> readNpy(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  Result<NpyArray> array = parseNpy(file->bytes());
  if (!array)
    return array.status().at(path);
  return array;
}

Result<std::string> formatNpy(ElementType type,
                              const std::vector<int64_t> &shape,
                              const void *data) {
  const auto *known =
      std::find_if(std::begin(typeCodes), std::end(typeCodes),
                   [&](const TypeCode &one) { return one.type == type; });
  if (known == std::end(typeCodes))
    return Status(StatusCode::Unsupported,
                  "expected an element type that .npy has, found " +
                      std::string(elementTypeName(type)));
  Result<int64_t> bytes = bytesOf(type, shape);
  if (!bytes)
    return bytes.status();
  std::string header = "{'descr': '" + std::string(known->code) +
                       "', 'fortran_order': False, 'shape': (";
  for (size_t axis = 0; axis < shape.size(); ++axis)
    header += (axis == 0 ? "" : " ") + std::to_string(shape[axis]) +
              (axis + 1 < shape.size() || axis == 0 ? "," : "");
  header += "), }";
  // NumPy pads with spaces and ends the header with a line end.
  const size_t start = magic.size() + 2 + 2;
  const size_t used = start + header.size() + 1;
  header.append((headerAlignment - used % headerAlignment) % headerAlignment,
                ' ');
  header += '\n';
  std::string file(magic);
  file.push_back(1);
  file.push_back(0);
  zip::store<uint16_t>(file, static_cast<uint16_t>(header.size()));
  file += header;
  file.append(static_cast<const char *>(data), static_cast<size_t>(*bytes));
  return file;
}

Status writeNpy(const std::string &path, ElementType type,
                const std::vector<int64_t> &shape, const void *data) {
  Result<std::string> file = formatNpy(type, shape, data);
  if (!file)
    return file.status().at(path);
  return writeFileAtomically(path, *file);
}

} // namespace dragoman
