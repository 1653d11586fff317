//===- GraphBuilder.h - Nodes and constants of a graph ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_EXPORT_GRAPHBUILDER_H
#define DRAGOMAN_FRONTENDS_ONNX_EXPORT_GRAPHBUILDER_H

#include "frontends/onnx/OnnxModel.h"

namespace dragoman::onnx {

Attribute intAttribute(const std::string &name, int64_t value);
Attribute intsAttribute(const std::string &name, std::vector<int64_t> values);
Attribute floatAttribute(const std::string &name, double value);

/// Appends nodes of one output; every method returns the name of its value. A
/// node equal to an earlier one is not repeated.
class GraphBuilder {
public:
  GraphBuilder(Graph &graph, std::deque<std::string> &storage)
      : graph(graph), storage(storage) {}

  std::string node(const std::string &type, std::vector<std::string> inputs,
                   std::vector<Attribute> attributes = {});
  void initializer(const std::string &name, int32_t type,
                   std::vector<int64_t> dims, std::string bytes);
  bool has(const std::string &name) const { return named.count(name); }

  std::string number(double value);                         ///< f32 []
  std::string integer(int64_t value);                       ///< i64 []
  std::string integers(const std::vector<int64_t> &values); ///< i64 [n]

  /// Gives a value a second name.
  void alias(const std::string &value, const std::string &name);

private:
  Graph &graph;
  std::deque<std::string> &storage;
  std::map<std::string, std::string> known; ///< text of a node -> its value
  std::map<std::string, bool> named;        ///< initializers
  std::map<std::string, int> counts;        ///< nodes of a type
};

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_EXPORT_GRAPHBUILDER_H
