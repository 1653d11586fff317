//===- SmallModels.h - ONNX models built in tests -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_FRONTENDS_ONNX_SMALLMODELS_H
#define DRAGOMAN_TEST_FRONTENDS_ONNX_SMALLMODELS_H

#include "frontends/onnx/proto/onnx.pb.h"

#include <cstring>
#include <string>
#include <vector>

namespace dragoman::test {

/// One axis of a declared shape: a size or a name.
struct Axis {
  Axis(int size) : size(size) {}
  Axis(const char *name) : name(name) {}
  int64_t size = -1;
  std::string name;
};

/// Writes small models; every call appends.
class SmallModel {
public:
  explicit SmallModel(int64_t opset = 14, int64_t irVersion = 7) {
    proto.set_ir_version(irVersion);
    proto.add_opset_import()->set_version(opset);
    proto.mutable_graph()->set_name("small");
  }

  ::onnx::GraphProto &graph() { return *proto.mutable_graph(); }

  SmallModel &input(const std::string &name, std::vector<Axis> shape,
                    int32_t type = 1) {
    describe(*graph().add_input(), name, shape, type);
    return *this;
  }
  SmallModel &output(const std::string &name, std::vector<Axis> shape,
                     int32_t type = 1) {
    describe(*graph().add_output(), name, shape, type);
    return *this;
  }
  ::onnx::TensorProto &floats(const std::string &name,
                              std::vector<int64_t> dims,
                              const std::vector<float> &values) {
    return tensor(*graph().add_initializer(), name, 1, dims, values.data(),
                  4 * values.size());
  }
  ::onnx::TensorProto &ints(const std::string &name, std::vector<int64_t> dims,
                            const std::vector<int64_t> &values) {
    return tensor(*graph().add_initializer(), name, 7, dims, values.data(),
                  8 * values.size());
  }
  ::onnx::NodeProto &node(const std::string &op,
                          std::vector<std::string> inputs,
                          std::vector<std::string> outputs) {
    ::onnx::NodeProto &node = *graph().add_node();
    node.set_op_type(op);
    node.set_name("the_" + op);
    for (const std::string &name : inputs)
      node.add_input(name);
    for (const std::string &name : outputs)
      node.add_output(name);
    return node;
  }
  std::string bytes() const { return proto.SerializeAsString(); }

  static void setInt(::onnx::NodeProto &node, const std::string &name,
                     int64_t value) {
    ::onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  static void setFloat(::onnx::NodeProto &node, const std::string &name,
                       float value) {
    ::onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(::onnx::AttributeProto::FLOAT);
    attribute.set_f(value);
  }

  ::onnx::ModelProto proto;

private:
  static ::onnx::TensorProto &tensor(::onnx::TensorProto &tensor,
                                     const std::string &name, int32_t type,
                                     const std::vector<int64_t> &dims,
                                     const void *data, size_t bytes) {
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (int64_t dim : dims)
      tensor.add_dims(dim);
    tensor.set_raw_data(data, bytes);
    return tensor;
  }
  static void describe(::onnx::ValueInfoProto &info, const std::string &name,
                       const std::vector<Axis> &shape, int32_t type) {
    info.set_name(name);
    auto &tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (const Axis &axis : shape) {
      auto &dim = *tensor.mutable_shape()->add_dim();
      if (axis.size >= 0)
        dim.set_dim_value(axis.size);
      else
        dim.set_dim_param(axis.name);
    }
  }
};

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_FRONTENDS_ONNX_SMALLMODELS_H
