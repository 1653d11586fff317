//===- ModelWriter.cpp - From onnx::Graph to a file -----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/export/ModelWriter.h"

#include "frontends/onnx/proto/onnx.pb.h"

using namespace dragoman;
using namespace dragoman::onnx;

/// The IR version that belongs to operator sets 17 to 18.
static constexpr int64_t irVersion = 8;

static void writeTensor(const Tensor &tensor, ::onnx::TensorProto &proto) {
  proto.set_name(tensor.name);
  proto.set_data_type(tensor.type);
  for (int64_t dim : tensor.dims)
    proto.add_dims(dim);
  proto.set_raw_data(std::string(tensor.bytes));
}

static void writeAttribute(const Attribute &attribute,
                           ::onnx::AttributeProto &proto) {
  proto.set_name(attribute.name);
  switch (attribute.kind) {
  case AttributeKind::Float:
    proto.set_type(::onnx::AttributeProto::FLOAT);
    proto.set_f(attribute.f);
    return;
  case AttributeKind::Int:
    proto.set_type(::onnx::AttributeProto::INT);
    proto.set_i(attribute.i);
    return;
  case AttributeKind::Ints:
    proto.set_type(::onnx::AttributeProto::INTS);
    for (int64_t value : attribute.ints)
      proto.add_ints(value);
    return;
  case AttributeKind::Tensor:
    proto.set_type(::onnx::AttributeProto::TENSOR);
    writeTensor(attribute.tensor, *proto.mutable_t());
    return;
  default:
    assert(false && "no writer of this attribute");
  }
}

static void writeValue(const ValueInfo &value, ::onnx::ValueInfoProto &proto) {
  proto.set_name(value.name);
  auto *type = proto.mutable_type()->mutable_tensor_type();
  type->set_elem_type(value.type);
  if (!value.hasShape)
    return;
  type->mutable_shape();
  for (const ShapeDim &dim : value.shape) {
    auto *out = type->mutable_shape()->add_dim();
    if (dim.size)
      out->set_dim_value(*dim.size);
    else
      out->set_dim_param(dim.param);
  }
}

Result<std::string> dragoman::onnx::serializeModel(const Graph &graph,
                                                   int64_t opset) {
  ::onnx::ModelProto model;
  model.set_ir_version(irVersion);
  model.set_producer_name("dragoman");
  auto *set = model.add_opset_import();
  set->set_domain("");
  set->set_version(opset);
  ::onnx::GraphProto &out = *model.mutable_graph();
  out.set_name(graph.name);
  for (const Tensor &tensor : graph.initializers)
    writeTensor(tensor, *out.add_initializer());
  for (const ValueInfo &input : graph.inputs)
    writeValue(input, *out.add_input());
  for (const ValueInfo &output : graph.outputs)
    writeValue(output, *out.add_output());
  for (const Node &node : graph.nodes) {
    ::onnx::NodeProto &proto = *out.add_node();
    proto.set_name(node.name);
    proto.set_op_type(node.opType);
    for (const std::string &input : node.inputs)
      proto.add_input(input);
    for (const std::string &output : node.outputs)
      proto.add_output(output);
    for (const Attribute &attribute : node.attributes)
      writeAttribute(attribute, *proto.add_attribute());
  }
  std::string bytes;
  if (model.ByteSizeLong() >= size_t(1) << 31 ||
      !model.SerializeToString(&bytes))
    return Status(StatusCode::Unsupported,
                  "expected a graph of less than 2 GiB, found " +
                      std::to_string(model.ByteSizeLong()) + " bytes",
                  graph.name);
  return bytes;
}
