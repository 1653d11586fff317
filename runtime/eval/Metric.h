//===- Metric.h - Scores of translations ------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A metric turns each line into counts; the score of a corpus follows from
// their sums. Scores equal sacreBLEU's, and the signature says what was
// computed.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_EVAL_METRIC_H
#define DRAGOMAN_RUNTIME_EVAL_METRIC_H

#include "runtime/base/Status.h"
#include "runtime/eval/MetricText.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A metric; immutable.
class Metric {
public:
  virtual ~Metric() = default;
  /// "BLEU", "chrF2", "exact".
  virtual std::string name() const = 0;
  /// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:dragoman-0.1.0";
  /// without the version if that is empty.
  virtual std::string signature(size_t references,
                                const std::string &version) const = 0;
  /// The counts of one line against its references.
  virtual std::vector<int64_t>
  counts(std::string_view hypothesis,
         std::span<const std::string> references) const = 0;
  /// The score of summed counts.
  virtual double score(std::span<const int64_t> sums) const = 0;
  /// Precisions, brevity penalty and lengths of BLEU; "" otherwise.
  virtual std::string details(std::span<const int64_t>) const { return ""; }
};

struct MetricOptions {
  MetricTokens tokens = MetricTokens::Mteval13a; ///< BLEU only
  bool lowercase = false;
  /// Lines are scored one by one: orders without n-grams do not count.
  bool effectiveOrder = false;
};

/// `name` is "bleu", "chrf" or "exact".
Result<std::unique_ptr<Metric>> makeMetric(std::string_view name,
                                           const MetricOptions &options);

/// The score of a corpus. With resamples, also the mean and half the width of
/// the 95 % interval over that many draws of lines with replacement.
struct CorpusScore {
  double score = 0;
  double mean = 0, interval = 0;
  std::string details;
};

/// references[r] are the lines of reference r. Refused if their numbers are
/// not that of the hypotheses.
Result<CorpusScore>
scoreCorpus(const Metric &metric, std::span<const std::string> hypotheses,
            std::span<const std::vector<std::string>> references,
            int64_t resamples = 0, uint64_t seed = 12345);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_EVAL_METRIC_H
