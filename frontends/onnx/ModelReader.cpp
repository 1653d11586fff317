//===- ModelReader.cpp - From protobuf messages to onnx::Model -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The only file that sees protobuf. Its classes are generated at build time
// from the installed onnx.proto and stay hidden inside the library.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/OnnxModel.h"
#include "frontends/onnx/OnnxWire.h"

#include "frontends/onnx/proto/onnx.pb.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <cstring>
#include <set>

using namespace dragoman;
using namespace dragoman::onnx;

static constexpr int64_t newestIrVersion = 13;
static constexpr int recursionLimit = 100;

static Status invalid(std::string message) {
  return Status(StatusCode::InvalidData, std::move(message));
}

/// What a file that is no model seems to be, or nothing.
static std::string looksLike(std::string_view bytes) {
  std::string_view head = bytes.substr(0, 256);
  size_t start = head.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos)
    head.remove_prefix(start);
  auto begins = [&](std::string_view text) {
    if (head.size() < text.size())
      return false;
    for (size_t i = 0; i < text.size(); ++i)
      if (std::tolower(static_cast<unsigned char>(head[i])) != text[i])
        return false;
    return true;
  };
  if (begins("version https://git-lfs"))
    return "a Git LFS pointer: fetch the file itself with 'git lfs pull'";
  if (begins("<!doctype html") || begins("<html"))
    return "an HTML page: the download went wrong";
  if (begins("<?xml"))
    return "an XML document: the download went wrong";
  if (begins("pk\x03\x04"))
    return "a zip archive";
  if (begins("{"))
    return "a JSON document";
  return {};
}

namespace dragoman::onnx {

/// Fills a Model from the parsed message and the places of its tensors.
class ModelReader {
public:
  ModelReader(Model &model, std::string_view file) : model(model), file(file) {}

  Status read();

private:
  Status versions(const ::onnx::ModelProto &proto);
  Status graph(const ::onnx::GraphProto &proto, const TensorPlaces &places);
  Status node(const ::onnx::NodeProto &proto,
              const std::vector<TensorPlace> &places, Node &node);
  Status attribute(const ::onnx::AttributeProto &proto,
                   const TensorPlace &place, Attribute &attribute);
  Status tensor(const ::onnx::TensorProto &proto, const TensorPlace &place,
                Tensor &tensor);
  Status tensorBytes(const ::onnx::TensorProto &proto, const TensorPlace &place,
                     int64_t wanted, Tensor &tensor);
  Status value(const ::onnx::ValueInfoProto &proto, ValueInfo &info);

  Model &model;
  std::string_view file;
};

} // namespace dragoman::onnx

Status ModelReader::read() {
  if (file.empty())
    return invalid("empty file, expected an ONNX model");
  if (file.size() > INT32_MAX)
    return invalid("file of " + std::to_string(file.size()) +
                   " bytes is above the limit of 2 GiB - 1 of one protobuf; "
                   "store the weights as external data");
  if (std::string other = looksLike(file); !other.empty())
    return invalid("not an ONNX model; it looks like " + other);
  Result<TensorPlaces> places = locateTensors(file);
  if (!places)
    return places.status();
  ::onnx::ModelProto proto;
  google::protobuf::io::ArrayInputStream stream(file.data(),
                                                static_cast<int>(file.size()));
  google::protobuf::io::CodedInputStream input(&stream);
  input.SetTotalBytesLimit(INT32_MAX);
  input.SetRecursionLimit(recursionLimit);
  if (!proto.ParseFromCodedStream(&input) || !input.ConsumedEntireMessage())
    return invalid(
        "damaged near offset " + std::to_string(input.CurrentPosition()) +
        ", or messages nested deeper than " + std::to_string(recursionLimit));
  if (!proto.has_graph())
    return invalid("no graph in the file (" + std::to_string(file.size()) +
                   " bytes); it is cut or no ONNX model");
  DRAGOMAN_RETURN_IF_ERROR(versions(proto));
  return graph(proto.graph(), *places);
}

Status ModelReader::versions(const ::onnx::ModelProto &proto) {
  model.irVersion = proto.ir_version();
  model.producer = proto.producer_name() + " " + proto.producer_version();
  if (model.irVersion < 3 || model.irVersion > newestIrVersion)
    return Status(StatusCode::Unsupported,
                  "IR version " + std::to_string(model.irVersion) +
                      " is not supported (3 to " +
                      std::to_string(newestIrVersion) + " are)");
  for (const auto &opset : proto.opset_import()) {
    std::string domain = opset.domain() == "ai.onnx" ? "" : opset.domain();
    if (!model.opsets.emplace(domain, opset.version()).second)
      return invalid("opset of domain '" + domain + "' is imported twice");
  }
  if (!model.opsets.count(""))
    return invalid("no opset_import of the default domain");
  if (proto.functions_size() > 0)
    return Status(StatusCode::Unsupported,
                  "model-local functions are not supported; found '" +
                      proto.functions(0).name() + "'");
  return Status::ok();
}

Status ModelReader::graph(const ::onnx::GraphProto &proto,
                          const TensorPlaces &places) {
  Graph &graph = model.graph;
  graph.name = proto.name();
  if (places.initializers.size() !=
          static_cast<size_t>(proto.initializer_size()) ||
      places.attributes.size() != static_cast<size_t>(proto.node_size()))
    return invalid("damaged: the graph does not read the same twice");
  if (proto.sparse_initializer_size() > 0)
    return Status(StatusCode::Unsupported,
                  "sparse initializers are not supported; found '" +
                      proto.sparse_initializer(0).values().name() + "'");
  std::set<std::string_view> constants;
  for (int i = 0; i < proto.initializer_size(); ++i) {
    DRAGOMAN_RETURN_IF_ERROR(tensor(proto.initializer(i),
                                    places.initializers[i],
                                    graph.initializers.emplace_back()));
    constants.insert(proto.initializer(i).name());
  }
  for (int i = 0; i < proto.node_size(); ++i)
    DRAGOMAN_RETURN_IF_ERROR(
        node(proto.node(i), places.attributes[i], graph.nodes.emplace_back()));
  for (const auto &input : proto.input())
    if (!constants.count(input.name()))
      DRAGOMAN_RETURN_IF_ERROR(value(input, graph.inputs.emplace_back()));
  for (const auto &output : proto.output())
    DRAGOMAN_RETURN_IF_ERROR(value(output, graph.outputs.emplace_back()));
  return Status::ok();
}

Status ModelReader::node(const ::onnx::NodeProto &proto,
                         const std::vector<TensorPlace> &places, Node &node) {
  node.name = proto.name();
  node.opType = proto.op_type();
  node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  if (places.size() != static_cast<size_t>(proto.attribute_size()))
    return invalid("damaged: the attributes of " + node.describe() +
                   " do not read the same twice");
  for (int i = 0; i < proto.attribute_size(); ++i)
    if (Status status = attribute(proto.attribute(i), places[i],
                                  node.attributes.emplace_back());
        !status)
      return status.at(node.describe());
  return Status::ok();
}

/// Models of IR version 3 may leave out the kind of an attribute.
static AttributeKind kindOf(const ::onnx::AttributeProto &proto) {
  using Proto = ::onnx::AttributeProto;
  switch (proto.type()) {
  case Proto::FLOAT:
    return AttributeKind::Float;
  case Proto::INT:
    return AttributeKind::Int;
  case Proto::STRING:
    return AttributeKind::String;
  case Proto::TENSOR:
    return AttributeKind::Tensor;
  case Proto::FLOATS:
    return AttributeKind::Floats;
  case Proto::INTS:
    return AttributeKind::Ints;
  case Proto::STRINGS:
    return AttributeKind::Strings;
  case Proto::UNDEFINED:
    break;
  default:
    return AttributeKind::Other;
  }
  if (proto.has_f())
    return AttributeKind::Float;
  if (proto.has_i())
    return AttributeKind::Int;
  if (proto.has_s())
    return AttributeKind::String;
  if (proto.has_t())
    return AttributeKind::Tensor;
  if (proto.ints_size())
    return AttributeKind::Ints;
  if (proto.floats_size())
    return AttributeKind::Floats;
  return AttributeKind::Unknown;
}

Status ModelReader::attribute(const ::onnx::AttributeProto &proto,
                              const TensorPlace &place, Attribute &attribute) {
  attribute.name = proto.name();
  attribute.kind = kindOf(proto);
  attribute.f = proto.f();
  attribute.i = proto.i();
  attribute.s = proto.s();
  attribute.floats.assign(proto.floats().begin(), proto.floats().end());
  attribute.ints.assign(proto.ints().begin(), proto.ints().end());
  attribute.strings.assign(proto.strings().begin(), proto.strings().end());
  if (attribute.kind != AttributeKind::Tensor)
    return Status::ok();
  return tensor(proto.t(), place, attribute.tensor);
}

Status ModelReader::tensor(const ::onnx::TensorProto &proto,
                           const TensorPlace &place, Tensor &tensor) {
  tensor.name = proto.name();
  tensor.type = proto.data_type();
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  std::string who = "tensor '" + tensor.name + "'";
  if (proto.data_location() == ::onnx::TensorProto::EXTERNAL ||
      proto.external_data_size() > 0) {
    std::string location;
    for (const auto &entry : proto.external_data())
      if (entry.key() == "location")
        location = entry.value();
    return Status(StatusCode::Unsupported,
                  who + " lies outside the file ('" + location +
                      "'); external data is not supported");
  }
  int64_t bytes = elementBytes(tensor.type);
  if (bytes == 0)
    return Status(StatusCode::Unsupported, who + " has element type " +
                                               elementName(tensor.type) +
                                               ", which is not supported");
  for (int64_t dim : tensor.dims) {
    if (dim < 0)
      return invalid(who + " has the negative dimension " +
                     std::to_string(dim));
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      return invalid(who + " has dimensions whose product exceeds 64 bits");
  }
  return tensorBytes(proto, place, bytes, tensor);
}

/// Packs `values` as elements of type T.
template <typename T, typename Values>
static std::string packed(const Values &values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  size_t at = 0;
  for (auto value : values) {
    T element = static_cast<T>(value);
    std::memcpy(bytes.data() + at, &element, sizeof(T));
    at += sizeof(T);
  }
  return bytes;
}

static std::string packedInt32(const ::onnx::TensorProto &proto, int64_t size) {
  if (size == 1)
    return packed<uint8_t>(proto.int32_data());
  if (size == 2)
    return packed<uint16_t>(proto.int32_data());
  return packed<int32_t>(proto.int32_data());
}

Status ModelReader::tensorBytes(const ::onnx::TensorProto &proto,
                                const TensorPlace &place, int64_t wanted,
                                Tensor &tensor) {
  auto fromFile = [&](std::string_view bytes) {
    tensor.bytes = bytes;
    tensor.fileOffset = bytes.data() - file.data();
  };
  if (proto.has_raw_data()) {
    if (place.raw.size() != proto.raw_data().size())
      return invalid("damaged: tensor '" + tensor.name +
                     "' does not read the same twice");
    fromFile(place.raw);
  } else if (proto.float_data_size() > 0 && place.floats.data() &&
             place.floats.size() == 4u * proto.float_data_size()) {
    fromFile(place.floats);
  } else {
    std::string &bytes = model.storage.emplace_back();
    if (tensor.type == Float)
      bytes = packed<float>(proto.float_data());
    else if (tensor.type == Double)
      bytes = packed<double>(proto.double_data());
    else if (tensor.type == Int64)
      bytes = packed<int64_t>(proto.int64_data());
    else if (tensor.type == Uint64)
      bytes = packed<uint64_t>(proto.uint64_data());
    else if (tensor.type == Uint32)
      bytes = packed<uint32_t>(proto.uint64_data());
    else
      bytes = packedInt32(proto, elementBytes(tensor.type));
    tensor.bytes = bytes;
  }
  if (static_cast<int64_t>(tensor.bytes.size()) != wanted)
    return invalid("tensor '" + tensor.name + "': expected " +
                   std::to_string(wanted) +
                   " bytes for its dimensions, found " +
                   std::to_string(tensor.bytes.size()));
  return Status::ok();
}

Status ModelReader::value(const ::onnx::ValueInfoProto &proto,
                          ValueInfo &info) {
  info.name = proto.name();
  if (!proto.type().has_tensor_type())
    return Status::ok();
  const auto &type = proto.type().tensor_type();
  info.type = type.elem_type();
  info.hasShape = type.has_shape();
  for (const auto &dim : type.shape().dim()) {
    ShapeDim &axis = info.shape.emplace_back();
    if (dim.has_dim_value()) {
      if (dim.dim_value() < 0)
        return invalid("value '" + info.name + "' has the negative dimension " +
                       std::to_string(dim.dim_value()));
      axis.size = dim.dim_value();
    } else {
      axis.param = dim.dim_param();
    }
  }
  return Status::ok();
}

Result<std::unique_ptr<Model>> Model::parse(std::string_view bytes) {
  auto model = std::make_unique<Model>();
  DRAGOMAN_RETURN_IF_ERROR(ModelReader(*model, bytes).read());
  return model;
}

Result<std::unique_ptr<Model>> Model::load(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  Result<std::unique_ptr<Model>> model = parse(file->bytes());
  if (!model)
    return model.status().at(path);
  (*model)->file = std::move(*file);
  return model;
}
