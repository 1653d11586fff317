//===- OnnxWire.cpp - Where the bytes of tensors lie in an ONNX file ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/OnnxWire.h"

#include <functional>

using namespace dragoman;
using namespace dragoman::onnx;

namespace {

/// A field of a protobuf message. `bytes` is set for length-delimited ones.
struct Field {
  uint32_t number = 0;
  uint32_t wireType = 0;
  std::string_view bytes;
};

/// Reads the fields of one message. Offsets count from the start of the file.
class Reader {
public:
  Reader(std::string_view message, const char *fileBegin)
      : rest(message), fileBegin(fileBegin) {}

  /// False at the end of the message or at damage (then `broken` is set).
  bool next(Field &field) {
    fieldBegin = rest.data();
    if (rest.empty())
      return false;
    uint64_t key = 0, value = 0;
    field = Field();
    if (!varint(key) || key > UINT32_MAX || (key >> 3) == 0)
      return fail();
    field.number = static_cast<uint32_t>(key >> 3);
    field.wireType = static_cast<uint32_t>(key & 7);
    switch (field.wireType) {
    case 0:
      return varint(value) || fail();
    case 1:
      return skip(8) || fail();
    case 2:
      if (!varint(value) || value > rest.size())
        return fail();
      field.bytes = rest.substr(0, value);
      rest.remove_prefix(value);
      return true;
    case 5:
      return skip(4) || fail();
    default: // groups do not occur in ONNX
      return fail();
    }
  }

  bool broken = false;
  size_t offset() const { return fieldBegin - fileBegin; }

private:
  bool fail() {
    broken = true;
    return false;
  }
  bool skip(size_t count) {
    if (rest.size() < count)
      return false;
    rest.remove_prefix(count);
    return true;
  }
  bool varint(uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      if (rest.empty())
        return false;
      auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      if (shift < 64)
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return true;
    }
    return false;
  }

  std::string_view rest;
  const char *fileBegin;
  const char *fieldBegin = nullptr;
};

/// Collects the places while it walks model, graph, node, attribute, tensor.
class Locator {
public:
  explicit Locator(std::string_view file) : file(file) {}

  Status model(TensorPlaces &places) {
    return walk(file, [&](const Field &field) {
      return field.number == 7 ? graph(field.bytes, places) : Status::ok();
    });
  }

private:
  Status walk(std::string_view message,
              const std::function<Status(const Field &)> &visit) {
    Reader reader(message, file.data());
    Field field;
    while (reader.next(field))
      if (field.wireType == 2)
        DRAGOMAN_RETURN_IF_ERROR(visit(field));
    if (!reader.broken)
      return Status::ok();
    return Status(StatusCode::InvalidData,
                  "damaged or cut: the field at offset " +
                      std::to_string(reader.offset()) +
                      " cannot be read to its end (file of " +
                      std::to_string(file.size()) + " bytes)");
  }

  Status graph(std::string_view message, TensorPlaces &places) {
    return walk(message, [&](const Field &field) {
      if (field.number == 5) {
        places.initializers.emplace_back();
        return tensor(field.bytes, places.initializers.back());
      }
      if (field.number == 1) {
        places.attributes.emplace_back();
        return node(field.bytes, places.attributes.back());
      }
      return Status::ok();
    });
  }

  Status node(std::string_view message, std::vector<TensorPlace> &attributes) {
    return walk(message, [&](const Field &field) {
      if (field.number != 5)
        return Status::ok();
      TensorPlace &place = attributes.emplace_back();
      return walk(field.bytes, [&](const Field &inner) {
        return inner.number == 5 ? tensor(inner.bytes, place) : Status::ok();
      });
    });
  }

  Status tensor(std::string_view message, TensorPlace &place) {
    int pieces = 0;
    Status status = walk(message, [&](const Field &field) {
      if (field.number == 9)
        place.raw = field.bytes;
      if (field.number == 4) {
        place.floats = field.bytes;
        ++pieces;
      }
      return Status::ok();
    });
    if (pieces > 1)
      place.floats = {};
    return status;
  }

  std::string_view file;
};

} // namespace

Result<TensorPlaces> onnx::locateTensors(std::string_view file) {
  TensorPlaces places;
  DRAGOMAN_RETURN_IF_ERROR(Locator(file).model(places));
  return places;
}
