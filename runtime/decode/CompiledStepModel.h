//===- CompiledStepModel.h - A compiled translator as StepModel -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the entries encode, prepare, decode and select of an artifact on a
// session of its own. Names, types, ranks and order of their inputs and outputs
// are checked when it is made.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_COMPILEDSTEPMODEL_H
#define DRAGOMAN_RUNTIME_DECODE_COMPILEDSTEPMODEL_H

#include "runtime/decode/StepModel.h"
#include "runtime/execute/Session.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace dragoman {

class CompiledStepModel : public StepModel {
public:
  /// Refuses a model without the four entries, or with others' inputs.
  static Result<std::unique_ptr<CompiledStepModel>>
  create(std::shared_ptr<const Model> model, const SessionOptions &options);

  /// The flag is looked at between the commands of every run.
  void setCancelFlag(const std::atomic<bool> *flag) { cancel = flag; }
  /// Ids that have a token; further columns of the logits are forbidden.
  void setTokenCount(int64_t tokens) { modelLimits.tokens = tokens; }

  Session &session() { return runner; }

  const ModelLimits &limits() const override { return modelLimits; }
  Result<int64_t> peakBytes(const WorkShape &shape) const override;
  Status reserve(const CacheShape &shape) override;
  Status encode(const EncodeBatch &batch) override;
  Status decode(const DecodeBatch &batch) override;
  Status select(const SelectBatch &batch, SelectOutput &output) override;

private:
  CompiledStepModel(std::shared_ptr<const Model> model,
                    const SessionOptions &options);
  Status check();

  std::shared_ptr<const Model> model;
  Session runner;
  ModelLimits modelLimits;
  int64_t channels = 0; ///< C, of the encoder's output
  const std::atomic<bool> *cancel = nullptr;
  std::vector<float> hidden; ///< [B,S,C]
  std::vector<float> logits; ///< [R,1,V], of the last decode
  int64_t logitRows = 0;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_COMPILEDSTEPMODEL_H
