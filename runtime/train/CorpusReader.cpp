//===- CorpusReader.cpp - Reads aligned text ------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/CorpusReader.h"

#include "runtime/base/Hash.h"
#include "runtime/base/Quantities.h"

#include <algorithm>

using namespace dragoman;

/// Pairs that are tokenised together: bounds the memory.
static constexpr size_t chunkPairs = 8192;

static bool isBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\v\f\0") == std::string_view::npos;
}

Result<PairReader> PairReader::open(const CorpusFiles &files) {
  PairReader reader;
  reader.files = files;
  Result<std::unique_ptr<LineReader>> opened = LineReader::open(files.source);
  if (!opened)
    return opened.status();
  reader.source = std::move(*opened);
  if (files.target.empty())
    return reader;
  opened = LineReader::open(files.target);
  if (!opened)
    return opened.status();
  reader.target = std::move(*opened);
  return reader;
}

/// Counts the rest of the longer file, and says by how much they differ.
Status PairReader::unequal(bool sourceEnded) {
  LineReader &longer = sourceEnded ? *target : *source;
  int64_t count = lines + 1;
  LineReader::Line line;
  for (;;) {
    Result<bool> more = longer.next(line);
    if (!more)
      return more.status();
    if (!*more)
      break;
    ++count;
  }
  std::string text = files.source + " has " +
                     formatCount(sourceEnded ? lines : count) + " lines, " +
                     files.target + " has " +
                     formatCount(sourceEnded ? count : lines);
  if (firstBlankDifference > 0)
    text += "; first blank difference near line " +
            formatCount(firstBlankDifference);
  return Status(StatusCode::InvalidData, text);
}

Result<bool> PairReader::nextOfTable(Pair &pair) {
  LineReader::Line line;
  Result<bool> more = source->next(line);
  if (!more || !*more)
    return more;
  size_t tab = line.text.find('\t');
  if (tab == std::string::npos && !isBlank(line.text))
    return Status(StatusCode::InvalidData,
                  "expected source, tab and target, found no tab",
                  files.source + ":" + std::to_string(line.number));
  pair.line = line.number;
  pair.repaired = line.repaired > 0;
  pair.source = tab == std::string::npos ? "" : line.text.substr(0, tab);
  std::string rest = tab == std::string::npos ? "" : line.text.substr(tab + 1);
  pair.target = rest.substr(0, rest.find('\t'));
  return true;
}

Result<bool> PairReader::next(Pair &pair) {
  if (!target)
    return nextOfTable(pair);
  LineReader::Line left, right;
  Result<bool> hasLeft = source->next(left);
  if (!hasLeft)
    return hasLeft;
  Result<bool> hasRight = target->next(right);
  if (!hasRight)
    return hasRight;
  if (*hasLeft != *hasRight)
    return unequal(/*sourceEnded=*/!*hasLeft);
  if (!*hasLeft)
    return false;
  pair.line = ++lines;
  if (firstBlankDifference == 0 && isBlank(left.text) != isBlank(right.text))
    firstBlankDifference = lines;
  pair.repaired = (left.repaired > 0) + (right.repaired > 0);
  pair.source = std::move(left.text);
  pair.target = std::move(right.text);
  return true;
}

namespace {

/// Tokenises and filters one chunk after the other.
class PairCoder {
public:
  PairCoder(const IdCoder &source, const IdCoder &target,
            const PairFilter &filter)
      : source(source), target(target), filter(filter) {}

  Status run(std::vector<PairReader::Pair> &pairs, Pool &pool,
             const std::function<Status(const CodedPair &)> &take) {
    std::vector<CodedPair> coded(pairs.size());
    std::vector<Status> failures(pairs.size());
    pool.parallelFor(static_cast<int64_t>(pairs.size()),
                     [&](int64_t first, int64_t end, int) {
                       for (int64_t i = first; i < end; ++i)
                         failures[i] = encode(pairs[i], coded[i]);
                     });
    for (size_t i = 0; i < pairs.size(); ++i) {
      DRAGOMAN_RETURN_IF_ERROR(failures[i]);
      if (keep(pairs[i], coded[i]))
        DRAGOMAN_RETURN_IF_ERROR(take(coded[i]));
    }
    return Status::ok();
  }

  PairCounts counts;

private:
  Status encode(const PairReader::Pair &pair, CodedPair &coded) const {
    coded.line = pair.line;
    Result<std::vector<int32_t>> ids = source.encode(pair.source);
    if (!ids)
      return ids.status().at("line " + std::to_string(pair.line));
    coded.source = std::move(*ids);
    ids = target.encode(pair.target);
    if (!ids)
      return ids.status().at("line " + std::to_string(pair.line));
    coded.target = std::move(*ids);
    return Status::ok();
  }

  bool keep(const PairReader::Pair &pair, const CodedPair &coded) {
    ++counts.pairs;
    counts.repairedLines += pair.repaired;
    if (pair.repaired > 0 && counts.firstRepaired == 0)
      counts.firstRepaired = pair.line;
    int64_t s = static_cast<int64_t>(coded.source.size()) + 1;
    int64_t t = static_cast<int64_t>(coded.target.size()) + 1;
    auto drop = [](int64_t &counter) {
      ++counter;
      return false;
    };
    if (s == 1 || t == 1)
      return drop(counts.empty);
    if (std::max(s, t) > filter.maxLength)
      return drop(counts.tooLong);
    if (filter.maxRatio > 0 &&
        static_cast<double>(std::max(s, t)) >
            filter.maxRatio * static_cast<double>(std::min(s, t)))
      return drop(counts.ratio);
    if (filter.dropCopies && pair.source == pair.target)
      return drop(counts.copies);
    if (filter.dropDuplicates &&
        !seen.insert(checksumOf(pair.source + '\n' + pair.target)).second)
      return drop(counts.duplicates);
    ++counts.kept;
    counts.sourceTokens += s;
    counts.targetTokens += t;
    return true;
  }

  const IdCoder &source, &target;
  const PairFilter &filter;
  std::unordered_set<std::string> seen;
};

} // namespace

Result<PairCounts>
dragoman::readPairs(const CorpusFiles &files, const IdCoder &source,
                    const IdCoder &target, const PairFilter &filter, Pool &pool,
                    const std::function<Status(const CodedPair &)> &take) {
  Result<PairReader> reader = PairReader::open(files);
  if (!reader)
    return reader.status();
  PairCoder coder(source, target, filter);
  std::vector<PairReader::Pair> chunk;
  for (bool more = true; more;) {
    chunk.clear();
    while (more && chunk.size() < chunkPairs) {
      PairReader::Pair pair;
      Result<bool> found = reader->next(pair);
      if (!found)
        return found.status();
      more = *found;
      if (more)
        chunk.push_back(std::move(pair));
    }
    DRAGOMAN_RETURN_IF_ERROR(coder.run(chunk, pool, take));
  }
  return coder.counts;
}
