//===- ExportModel.cpp - From trained parameters to graphs ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/ExportModel.h"

#include "frontends/onnx/export/HubExport.h"
#include "runtime/artifact/TrainingWeights.h"
#include "runtime/base/MappedFile.h"

using namespace dragoman;

static Status exportFolder(const ExportJob &job) {
  Result<std::unique_ptr<Artifact>> artifact = Artifact::open(job.input);
  if (!artifact)
    return artifact.status();
  if (job.parameters.empty()) {
    Result<std::span<const float>> initial = initialParameters(**artifact);
    return initial ? onnx::exportHubFolder(**artifact, *initial, job.output)
                   : initial.status();
  }
  Result<MappedFile> file = MappedFile::open(job.parameters);
  if (!file)
    return file.status();
  std::string_view bytes = file->bytes();
  std::span<const float> values(reinterpret_cast<const float *>(bytes.data()),
                                bytes.size() / sizeof(float));
  return onnx::exportHubFolder(**artifact, values, job.output);
}

Status dragoman::exportModel(const ExportJob &job, const MessageSink &message) {
  Status status = exportFolder(job);
  if (!status)
    message(MessageLevel::Error, status.toString());
  return status;
}
