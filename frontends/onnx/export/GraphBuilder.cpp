//===- GraphBuilder.cpp - Nodes and constants of a graph ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/export/GraphBuilder.h"

#include <cstdio>

using namespace dragoman;
using namespace dragoman::onnx;

Attribute onnx::intAttribute(const std::string &name, int64_t value) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = AttributeKind::Int;
  attribute.i = value;
  return attribute;
}

Attribute onnx::intsAttribute(const std::string &name,
                              std::vector<int64_t> values) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = AttributeKind::Ints;
  attribute.ints = std::move(values);
  return attribute;
}

Attribute onnx::floatAttribute(const std::string &name, double value) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = AttributeKind::Float;
  attribute.f = static_cast<float>(value);
  return attribute;
}

std::string GraphBuilder::node(const std::string &type,
                               std::vector<std::string> inputs,
                               std::vector<Attribute> attributes) {
  std::string text = type;
  for (const std::string &input : inputs)
    text += " " + input;
  for (const Attribute &attribute : attributes) {
    text += " " + attribute.name + " " + std::to_string(attribute.i) + " " +
            std::to_string(attribute.f);
    for (int64_t value : attribute.ints)
      text += "," + std::to_string(value);
  }
  std::string &value = known[text];
  if (!value.empty())
    return value;
  Node node;
  node.opType = type;
  node.name = type + "_" + std::to_string(counts[type]++);
  value = node.name + "_out";
  node.inputs = std::move(inputs);
  node.outputs = {value};
  node.attributes = std::move(attributes);
  graph.nodes.push_back(std::move(node));
  return value;
}

void GraphBuilder::initializer(const std::string &name, int32_t type,
                               std::vector<int64_t> dims, std::string bytes) {
  named[name] = true;
  storage.push_back(std::move(bytes));
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.dims = std::move(dims);
  tensor.bytes = storage.back();
  graph.initializers.push_back(std::move(tensor));
}

std::string GraphBuilder::number(double value) {
  float rounded = static_cast<float>(value);
  char name[40];
  std::snprintf(name, sizeof name, "number_%.9g", rounded);
  if (!has(name))
    initializer(name, Float, {},
                {reinterpret_cast<const char *>(&rounded), sizeof rounded});
  return name;
}

std::string GraphBuilder::integer(int64_t value) {
  std::string name = "integer_" + std::to_string(value);
  if (!has(name))
    initializer(name, Int64, {},
                {reinterpret_cast<const char *>(&value), sizeof value});
  return name;
}

std::string GraphBuilder::integers(const std::vector<int64_t> &values) {
  std::string name = "integers";
  for (int64_t value : values)
    name += "_" + std::to_string(value);
  if (!has(name))
    initializer(name, Int64, {static_cast<int64_t>(values.size())},
                {reinterpret_cast<const char *>(values.data()),
                 values.size() * sizeof(int64_t)});
  return name;
}

void GraphBuilder::alias(const std::string &value, const std::string &name) {
  Node node;
  node.opType = "Identity";
  node.name = "output " + name;
  node.inputs = {value};
  node.outputs = {name};
  graph.nodes.push_back(std::move(node));
}
