//===- GraphCheck.h - Refusals of an ONNX graph as a whole -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_GRAPHCHECK_H
#define DRAGOMAN_FRONTENDS_ONNX_GRAPHCHECK_H

#include "frontends/onnx/OnnxModel.h"

#include <functional>

namespace dragoman::onnx {

/// Versions of the default domain's operator set that are understood.
inline constexpr int64_t oldestOpset = 7;
inline constexpr int64_t newestOpset = 27;

/// Every operator of the graph that cannot be imported, once each with its
/// count and version, in one error; unknown domains and versions are part of
/// the list.
Status checkOperators(const Model &model,
                      const std::function<bool(const Node &)> &isSupported);

/// Names must be defined once and used after their definition can exist.
/// Returns the nodes in an order of definition before use (the file's own order
/// where it is one). An error names node and value.
Result<std::vector<const Node *>> sortNodes(const Graph &graph);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_GRAPHCHECK_H
