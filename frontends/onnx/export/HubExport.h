//===- HubExport.h - A model of the DSL as a translator's folder *- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_EXPORT_HUBEXPORT_H
#define DRAGOMAN_FRONTENDS_ONNX_EXPORT_HUBEXPORT_H

#include "runtime/artifact/Artifact.h"

#include <span>
#include <string>

namespace dragoman::onnx {

/// The member of an artifact that holds the description of its model.
inline constexpr const char *descriptionMember = "model/description.json";

/// Writes the model of a training artifact with `parameters` [P] as a folder of
/// encoder_model.onnx, decoder_model.onnx and decoder_with_past_model.onnx with
/// config.json, generation_config.json, tokenizer_config.json and the tokenizer
/// files. The folder is made if it does not exist; files in it are replaced.
Status exportHubFolder(const Artifact &artifact,
                       std::span<const float> parameters,
                       const std::string &folder);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_EXPORT_HUBEXPORT_H
