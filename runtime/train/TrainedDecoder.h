//===- TrainedDecoder.h - Translates with parameters in training -*- C++
//-*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_TRAINEDDECODER_H
#define DRAGOMAN_RUNTIME_TRAIN_TRAINEDDECODER_H

#include "runtime/decode/LoadedTranslator.h"
#include "runtime/train/Report.h"

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

struct TrainedDecoderOptions {
  int64_t beam = 1;
  double lengthRatio = 2;
  int64_t lengthExtra = 50;
};

/// The inference entries of a training artifact over weights that follow from
/// parameters. The parameters may change between translations.
class TrainedDecoder {
public:
  static Result<std::unique_ptr<TrainedDecoder>>
  create(std::shared_ptr<const Model> model, const SessionOptions &session,
         const TrainedDecoderOptions &options);
  ~TrainedDecoder();

  /// Translates with the weights that follow from `parameters`; one text a
  /// line. Cancelled if `cancel` was set.
  Result<std::vector<std::string>> translate(std::span<const float> parameters,
                                             std::span<const std::string> lines,
                                             const std::atomic<bool> *cancel);

  /// The same with the weights of the attention from every target token to the
  /// source, by the model's entry `align`; none if it has no such entry.
  Result<std::vector<AlignmentPicture>>
  align(std::span<const float> parameters, std::span<const std::string> lines,
        const std::atomic<bool> *cancel);

private:
  class Weights;
  using Take = std::function<Status(LineResult)>;
  Status run(std::span<const float> parameters,
             std::span<const std::string> lines, const Take &take,
             const std::atomic<bool> *cancel);
  Result<AlignmentPicture> picture(const LineResult &line);

  TrainedDecoder() = default;

  Weights *weights = nullptr; ///< owned by the model
  std::unique_ptr<LoadedTranslator> translator;
  std::unique_ptr<Session> session; ///< of `align`; null without the entry
  GenerationSettings settings;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_TRAINEDDECODER_H
