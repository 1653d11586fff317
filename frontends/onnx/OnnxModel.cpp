//===- OnnxModel.cpp - Small answers about an ONNX model -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/OnnxModel.h"

#include <cstring>

using namespace dragoman;
using namespace dragoman::onnx;

int64_t onnx::elementBytes(int32_t code) {
  switch (code) {
  case Uint8:
  case Int8:
  case Bool:
    return 1;
  case Uint16:
  case Int16:
  case Float16:
  case Bfloat16:
    return 2;
  case Float:
  case Int32:
  case Uint32:
    return 4;
  case Double:
  case Int64:
  case Uint64:
    return 8;
  default:
    return 0;
  }
}

std::string onnx::elementName(int32_t code) {
  static const char *const names[] = {
      "undefined", "float32", "uint8",     "int8",       "uint16",  "int16",
      "int32",     "int64",   "string",    "bool",       "float16", "float64",
      "uint32",    "uint64",  "complex64", "complex128", "bfloat16"};
  if (code >= 0 && code < static_cast<int32_t>(std::size(names)))
    return names[code];
  return "type " + std::to_string(code);
}

std::string_view onnx::kindName(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Float:
    return "a float";
  case AttributeKind::Int:
    return "an int";
  case AttributeKind::String:
    return "a string";
  case AttributeKind::Tensor:
    return "a tensor";
  case AttributeKind::Floats:
    return "floats";
  case AttributeKind::Ints:
    return "ints";
  case AttributeKind::Strings:
    return "strings";
  case AttributeKind::Unknown:
  case AttributeKind::Other:
    break;
  }
  return "another kind";
}

int64_t Tensor::elements() const {
  int64_t bytesOfOne = elementBytes(type);
  return bytesOfOne ? static_cast<int64_t>(bytes.size()) / bytesOfOne : 0;
}

std::vector<int64_t> Tensor::integers() const {
  std::vector<int64_t> values(elements());
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == Int64) {
      std::memcpy(&values[i], bytes.data() + 8 * i, 8);
      continue;
    }
    int32_t narrow = 0;
    std::memcpy(&narrow, bytes.data() + 4 * i, 4);
    values[i] = narrow;
  }
  return values;
}

const Attribute *Node::attribute(std::string_view attributeName) const {
  for (const Attribute &attribute : attributes)
    if (attribute.name == attributeName)
      return &attribute;
  return nullptr;
}

std::string Node::describe() const {
  if (!name.empty())
    return "node '" + name + "' (" + opType + ")";
  return "node of output '" + (outputs.empty() ? "" : outputs[0]) + "' (" +
         opType + ")";
}

int64_t Model::opset() const {
  auto found = opsets.find("");
  return found == opsets.end() ? 0 : found->second;
}
