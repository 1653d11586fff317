//===- GraphCheck.cpp - Refusals of an ONNX graph as a whole -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/GraphCheck.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

using namespace dragoman;
using namespace dragoman::onnx;

Status
onnx::checkOperators(const Model &model,
                     const std::function<bool(const Node &)> &isSupported) {
  std::vector<std::string> problems;
  int64_t opset = model.opset();
  if (opset < oldestOpset || opset > newestOpset)
    problems.push_back("opset " + std::to_string(opset) + " (" +
                       std::to_string(oldestOpset) + " to " +
                       std::to_string(newestOpset) + " are)");
  std::map<std::string, int> unsupported;
  for (const Node &node : model.graph.nodes) {
    if (node.domain.empty() && isSupported(node))
      continue;
    auto version = model.opsets.find(node.domain);
    std::string name =
        node.domain.empty() ? node.opType : node.domain + "." + node.opType;
    name += version == model.opsets.end()
                ? " (domain not imported)"
                : " (opset " + std::to_string(version->second) + ")";
    ++unsupported[name];
  }
  for (const auto &[name, count] : unsupported)
    problems.push_back(name + " x " + std::to_string(count));
  if (problems.empty())
    return Status::ok();
  std::string text = "not supported: ";
  for (size_t i = 0; i < problems.size(); ++i)
    text += (i ? ", " : "") + problems[i];
  return Status(StatusCode::Unsupported, text);
}

namespace {

/// Depth-first order over the nodes by their inputs, without recursion.
class Sorter {
public:
  explicit Sorter(const Graph &graph) : graph(graph) {}

  Result<std::vector<const Node *>> run() {
    DRAGOMAN_RETURN_IF_ERROR(define());
    state.assign(graph.nodes.size(), Fresh);
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      DRAGOMAN_RETURN_IF_ERROR(visit(i));
    std::set<std::string> returned;
    for (const ValueInfo &output : graph.outputs) {
      if (!producer.count(output.name))
        return Status(StatusCode::InvalidData,
                      "graph output '" + output.name + "' is never defined");
      if (!returned.insert(output.name).second)
        return Status(StatusCode::InvalidData,
                      "graph output '" + output.name + "' is listed twice");
    }
    return order;
  }

private:
  static constexpr size_t fromOutside = SIZE_MAX;
  enum State : uint8_t { Fresh, Open, Done };

  Status defineOne(const std::string &name, size_t node) {
    if (producer.emplace(name, node).second)
      return Status::ok();
    std::string by = node == fromOutside ? "graph input or initializer"
                                         : graph.nodes[node].describe();
    return Status(StatusCode::InvalidData,
                  by + " defines value '" + name + "' a second time");
  }

  Status define() {
    for (const ValueInfo &input : graph.inputs)
      DRAGOMAN_RETURN_IF_ERROR(defineOne(input.name, fromOutside));
    for (const Tensor &tensor : graph.initializers)
      DRAGOMAN_RETURN_IF_ERROR(defineOne(tensor.name, fromOutside));
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      for (const std::string &output : graph.nodes[i].outputs)
        if (!output.empty())
          DRAGOMAN_RETURN_IF_ERROR(defineOne(output, i));
    return Status::ok();
  }

  Status visit(size_t root) {
    if (state[root] == Done)
      return Status::ok();
    std::vector<std::pair<size_t, size_t>> stack = {{root, 0}};
    state[root] = Open;
    while (!stack.empty()) {
      auto &[index, next] = stack.back();
      const Node &node = graph.nodes[index];
      if (next == node.inputs.size()) {
        state[index] = Done;
        order.push_back(&node);
        stack.pop_back();
        continue;
      }
      const std::string &input = node.inputs[next++];
      if (input.empty())
        continue;
      auto found = producer.find(input);
      if (found == producer.end())
        return Status(StatusCode::InvalidData, node.describe() +
                                                   " reads value '" + input +
                                                   "', which is never defined");
      size_t from = found->second;
      if (from == fromOutside || state[from] == Done)
        continue;
      if (state[from] == Open)
        return Status(StatusCode::InvalidData,
                      node.describe() + " reads value '" + input +
                          "', which depends on the node itself (a cycle)");
      state[from] = Open;
      stack.push_back({from, 0});
    }
    return Status::ok();
  }

  const Graph &graph;
  std::unordered_map<std::string, size_t> producer;
  std::vector<State> state;
  std::vector<const Node *> order;
};

} // namespace

Result<std::vector<const Node *>> onnx::sortNodes(const Graph &graph) {
  return Sorter(graph).run();
}
