//===- OnnxModel.h - An ONNX file in memory -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_ONNXMODEL_H
#define DRAGOMAN_FRONTENDS_ONNX_ONNXMODEL_H

#include "runtime/base/MappedFile.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::onnx {

/// Element types by their numbers in the format; other numbers may occur.
enum ElementCode : int32_t {
  Undefined = 0,
  Float = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  Bfloat16 = 16,
};

/// Bytes of one element, 0 for types without a fixed size of whole bytes.
int64_t elementBytes(int32_t code);
/// "float32", "int64", ..., or "type 42".
std::string elementName(int32_t code);

/// A constant of the file. `bytes` are its elements in row-major order, little
/// endian, exactly elementBytes * product(dims) of them; they lie in the mapped
/// file if `fileOffset` is set, else in the model's own storage.
struct Tensor {
  std::string name;
  int32_t type = Undefined;
  std::vector<int64_t> dims;
  std::string_view bytes;
  std::optional<uint64_t> fileOffset;

  int64_t elements() const;
  /// The elements of an int64 or int32 tensor.
  std::vector<int64_t> integers() const;
};

enum class AttributeKind {
  Unknown,
  Float,
  Int,
  String,
  Tensor,
  Floats,
  Ints,
  Strings,
  Other,
};
std::string_view kindName(AttributeKind kind);

struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::Unknown;
  float f = 0;
  int64_t i = 0;
  std::string s;
  Tensor tensor;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

struct Node {
  std::string name;
  std::string opType;
  std::string
      domain; ///< empty for the default domain, also where written ai.onnx
  std::vector<std::string> inputs; ///< an absent optional input is ""
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;

  const Attribute *attribute(std::string_view attributeName) const;
  /// "node 'NAME' (OP)", or "node of output 'X' (OP)" where it has no name.
  std::string describe() const;
};

/// One axis of a declared shape: a size, a name, or neither.
struct ShapeDim {
  std::optional<int64_t> size;
  std::string param;
};

struct ValueInfo {
  std::string name;
  int32_t type = Undefined; ///< Undefined where the value is no plain tensor
  bool hasShape = false;
  std::vector<ShapeDim> shape;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs; ///< without those that are initializers
  std::vector<ValueInfo> outputs;
};

/// One file, loaded and checked as far as the format goes: sizes of tensors,
/// limits, versions. The graph itself is checked by checkGraph.
class Model {
public:
  /// Refuses what is no ONNX model, saying what it looks like instead, and
  /// every tensor whose bytes do not match its dims, before anything of the
  /// size those dims ask for is allocated. External data is refused by name.
  static Result<std::unique_ptr<Model>> load(const std::string &path);
  /// The same over bytes that the caller keeps alive.
  static Result<std::unique_ptr<Model>> parse(std::string_view bytes);

  int64_t irVersion = 0;
  std::map<std::string, int64_t> opsets; ///< by domain, "" the default
  std::string producer;
  Graph graph;

  /// The default domain's version.
  int64_t opset() const;

private:
  friend class ModelReader;
  MappedFile file;
  std::deque<std::string>
      storage; ///< bytes of tensors that are not in the file
};

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_ONNXMODEL_H
