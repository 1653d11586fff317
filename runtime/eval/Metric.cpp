//===- Metric.cpp - Scores of translations --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/eval/Metric.h"

#include "runtime/base/Quantities.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>

using namespace dragoman;

namespace {

using Words = std::vector<std::u32string>;

std::string caseName(bool lowercase) { return lowercase ? "lc" : "mixed"; }

std::string withVersion(std::string text, const std::string &version) {
  return version.empty() ? text : text + "|version:" + version;
}

std::u32string prepared(std::string_view line, bool lowercase) {
  std::u32string points = toCodePoints(line);
  return lowercase ? toLower(std::move(points)) : points;
}

//===----------------------------------------------------------------------===//
// BLEU
//===----------------------------------------------------------------------===//

/// Counts: length of the hypothesis, of the closest reference, matches and
/// n-grams of each order.
class Bleu final : public Metric {
public:
  explicit Bleu(const MetricOptions &options) : options(options) {}

  std::string name() const override { return "BLEU"; }
  std::string signature(size_t references,
                        const std::string &version) const override {
    return withVersion("nrefs:" + std::to_string(references) +
                           "|case:" + caseName(options.lowercase) +
                           "|eff:" + (options.effectiveOrder ? "yes" : "no") +
                           "|tok:" + metricTokensName(options.tokens) +
                           "|smooth:exp",
                       version);
  }

  std::vector<int64_t>
  counts(std::string_view hypothesis,
         std::span<const std::string> references) const override {
    Words words = wordsOf(hypothesis);
    int64_t length = static_cast<int64_t>(words.size());
    std::map<Words, int64_t> best;
    int64_t closest = -1;
    for (const std::string &reference : references) {
      Words other = wordsOf(reference);
      int64_t otherLength = static_cast<int64_t>(other.size());
      int64_t gap = std::abs(length - otherLength);
      int64_t oldGap = std::abs(length - closest);
      if (closest < 0 || gap < oldGap ||
          (gap == oldGap && otherLength < closest))
        closest = otherLength;
      for (const auto &[ngram, count] : ngramsOf(other)) {
        int64_t &most = best[ngram];
        most = std::max(most, count);
      }
    }
    std::vector<int64_t> result(2 + 2 * orders, 0);
    result[0] = length;
    result[1] = closest;
    for (const auto &[ngram, count] : ngramsOf(words)) {
      size_t order = ngram.size() - 1;
      result[2 + orders + order] += count;
      if (auto found = best.find(ngram); found != best.end())
        result[2 + order] += std::min(count, found->second);
    }
    return result;
  }

  double score(std::span<const int64_t> sums) const override {
    std::span<const int64_t> matches = sums.subspan(2, orders);
    if (std::ranges::all_of(matches, [](int64_t n) { return n == 0; }))
      return 0;
    double precisions[orders];
    size_t used = precisionsOf(sums, precisions);
    double logs = 0;
    for (size_t n = 0; n < used; ++n)
      logs += precisions[n] > 0 ? std::log(precisions[n]) : -9999999999.0;
    return brevityPenalty(sums) * std::exp(logs / static_cast<double>(used));
  }

  std::string details(std::span<const int64_t> sums) const override {
    double p[orders];
    precisionsOf(sums, p);
    char text[160];
    double ratio = sums[1] > 0 ? double(sums[0]) / double(sums[1]) : 0;
    std::snprintf(text, sizeof text,
                  "%.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %lld "
                  "ref_len = %lld)",
                  p[0], p[1], p[2], p[3], brevityPenalty(sums), ratio,
                  static_cast<long long>(sums[0]),
                  static_cast<long long>(sums[1]));
    return text;
  }

private:
  static constexpr size_t orders = 4;

  Words wordsOf(std::string_view line) const {
    return metricWords(prepared(line, options.lowercase), options.tokens);
  }

  static std::map<Words, int64_t> ngramsOf(const Words &words) {
    std::map<Words, int64_t> result;
    for (size_t n = 1; n <= orders; ++n)
      for (size_t i = 0; i + n <= words.size(); ++i)
        ++result[Words(words.begin() + i, words.begin() + i + n)];
    return result;
  }

  /// Fills the precisions in percent, smoothed; how many orders count.
  size_t precisionsOf(std::span<const int64_t> sums, double *precisions) const {
    std::fill_n(precisions, orders, 0.0);
    double smoothing = 1;
    size_t used = orders;
    for (size_t n = 0; n < orders; ++n) {
      double matches = static_cast<double>(sums[2 + n]);
      double total = static_cast<double>(sums[2 + orders + n]);
      if (total == 0)
        break;
      if (options.effectiveOrder)
        used = n + 1;
      if (matches == 0)
        smoothing *= 2;
      precisions[n] =
          matches == 0 ? 100 / (smoothing * total) : 100 * matches / total;
    }
    return used;
  }

  static double brevityPenalty(std::span<const int64_t> sums) {
    if (sums[0] >= sums[1])
      return 1;
    return sums[0] > 0 ? std::exp(1 - double(sums[1]) / double(sums[0])) : 0;
  }

  MetricOptions options;
};

//===----------------------------------------------------------------------===//
// chrF
//===----------------------------------------------------------------------===//

/// Counts for each order: n-grams of the hypothesis, of the reference, matches.
/// Of several references the one with the best score of its own counts.
class Chrf final : public Metric {
public:
  explicit Chrf(const MetricOptions &options) : options(options) {}

  std::string name() const override { return "chrF2"; }
  std::string signature(size_t references,
                        const std::string &version) const override {
    return withVersion("nrefs:" + std::to_string(references) +
                           "|case:" + caseName(options.lowercase) +
                           "|eff:yes|nc:6|nw:0|space:no",
                       version);
  }

  std::vector<int64_t>
  counts(std::string_view hypothesis,
         std::span<const std::string> references) const override {
    std::u32string text = charactersOf(hypothesis);
    std::vector<int64_t> best;
    double bestScore = -1;
    for (const std::string &reference : references) {
      std::vector<int64_t> found = matchesOf(text, charactersOf(reference));
      if (double value = score(found); value > bestScore) {
        bestScore = value;
        best = std::move(found);
      }
    }
    return best;
  }

  double score(std::span<const int64_t> sums) const override {
    double precision = 0, recall = 0;
    int used = 0;
    for (size_t n = 0; n < orders; ++n) {
      double ours = static_cast<double>(sums[3 * n]);
      double theirs = static_cast<double>(sums[3 * n + 1]);
      double both = static_cast<double>(sums[3 * n + 2]);
      if (ours == 0 || theirs == 0)
        continue;
      precision += both / ours;
      recall += both / theirs;
      ++used;
    }
    if (used == 0 || precision + recall == 0)
      return 0;
    precision /= used;
    recall /= used;
    constexpr double factor = 4; // beta = 2, squared
    return 100 * (1 + factor) * precision * recall /
           (factor * precision + recall);
  }

private:
  static constexpr size_t orders = 6;

  std::u32string charactersOf(std::string_view line) const {
    std::u32string text = prepared(line, options.lowercase);
    std::erase_if(text, isUnicodeSpace);
    return text;
  }

  static std::map<std::u32string_view, int64_t>
  ngramsOf(std::u32string_view text, size_t n) {
    std::map<std::u32string_view, int64_t> result;
    for (size_t i = 0; i + n <= text.size(); ++i)
      ++result[text.substr(i, n)];
    return result;
  }

  static std::vector<int64_t> matchesOf(const std::u32string &hypothesis,
                                        const std::u32string &reference) {
    std::vector<int64_t> result(3 * orders, 0);
    for (size_t n = 1; n <= orders; ++n) {
      auto ours = ngramsOf(hypothesis, n), theirs = ngramsOf(reference, n);
      int64_t *entry = &result[3 * (n - 1)];
      for (const auto &[ngram, count] : theirs)
        entry[1] += count;
      if (theirs.empty())
        continue;
      for (const auto &[ngram, count] : ours) {
        entry[0] += count;
        if (auto found = theirs.find(ngram); found != theirs.end())
          entry[2] += std::min(count, found->second);
      }
    }
    return result;
  }

  MetricOptions options;
};

//===----------------------------------------------------------------------===//
// Exact
//===----------------------------------------------------------------------===//

/// Share of lines that equal a reference. Counts: equal lines, lines.
class Exact final : public Metric {
public:
  explicit Exact(const MetricOptions &options) : options(options) {}
  std::string name() const override { return "exact"; }
  std::string signature(size_t references,
                        const std::string &version) const override {
    return withVersion("nrefs:" + std::to_string(references) +
                           "|case:" + caseName(options.lowercase),
                       version);
  }
  std::vector<int64_t>
  counts(std::string_view hypothesis,
         std::span<const std::string> references) const override {
    std::u32string ours = prepared(hypothesis, options.lowercase);
    bool equal = std::ranges::any_of(references, [&](const std::string &line) {
      return prepared(line, options.lowercase) == ours;
    });
    return {equal, 1};
  }
  double score(std::span<const int64_t> sums) const override {
    return sums[1] > 0 ? 100 * double(sums[0]) / double(sums[1]) : 0;
  }

private:
  MetricOptions options;
};

void addTo(std::vector<int64_t> &sums, const std::vector<int64_t> &counts) {
  sums.resize(std::max(sums.size(), counts.size()), 0);
  for (size_t i = 0; i < counts.size(); ++i)
    sums[i] += counts[i];
}

} // namespace

Result<std::unique_ptr<Metric>>
dragoman::makeMetric(std::string_view name, const MetricOptions &options) {
  if (name == "bleu")
    return std::unique_ptr<Metric>(std::make_unique<Bleu>(options));
  if (name == "chrf")
    return std::unique_ptr<Metric>(std::make_unique<Chrf>(options));
  if (name == "exact")
    return std::unique_ptr<Metric>(std::make_unique<Exact>(options));
  return Status(StatusCode::InvalidArgument,
                "expected bleu, chrf or exact, found '" + std::string(name) +
                    "'");
}

Result<CorpusScore>
dragoman::scoreCorpus(const Metric &metric,
                      std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references,
                      int64_t resamples, uint64_t seed) {
  for (const std::vector<std::string> &lines : references)
    if (lines.size() != hypotheses.size())
      return Status(StatusCode::InvalidData,
                    "expected as many translations as references (" +
                        formatCount(int64_t(lines.size())) + "), found " +
                        formatCount(int64_t(hypotheses.size())));
  if (hypotheses.empty())
    return Status(StatusCode::InvalidData, "expected translations, found none");
  std::vector<std::vector<int64_t>> counts;
  std::vector<int64_t> sums;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    std::vector<std::string> lines;
    for (const std::vector<std::string> &reference : references)
      lines.push_back(reference[i]);
    counts.push_back(metric.counts(hypotheses[i], lines));
    addTo(sums, counts.back());
  }
  CorpusScore result;
  result.score = metric.score(sums);
  result.details = metric.details(sums);
  if (resamples < 1)
    return result;
  std::mt19937_64 numbers(seed);
  std::vector<double> scores;
  for (int64_t sample = 0; sample < resamples; ++sample) {
    std::vector<int64_t> drawn;
    for (size_t i = 0; i < counts.size(); ++i)
      addTo(drawn, counts[numbers() % counts.size()]);
    scores.push_back(metric.score(drawn));
    result.mean += scores.back() / static_cast<double>(resamples);
  }
  std::sort(scores.begin(), scores.end());
  size_t lower = scores.size() / 40;
  result.interval = 0.5 * (scores[scores.size() - 1 - lower] - scores[lower]);
  return result;
}
