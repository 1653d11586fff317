//===- ModelWriter.h - From onnx::Graph to a file ---------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_EXPORT_MODELWRITER_H
#define DRAGOMAN_FRONTENDS_ONNX_EXPORT_MODELWRITER_H

#include "frontends/onnx/OnnxModel.h"

namespace dragoman::onnx {

/// The bytes of a model file with this graph in the default domain's operator
/// set `opset`. Refuses a graph of 2 GiB or more, the limit of the format.
Result<std::string> serializeModel(const Graph &graph, int64_t opset);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_EXPORT_MODELWRITER_H
