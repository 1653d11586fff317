//===- ResultWriter.h - Results as lines of text ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_RESULTWRITER_H
#define DRAGOMAN_RUNTIME_DECODE_RESULTWRITER_H

#include "runtime/decode/Translator.h"

#include <functional>
#include <string>
#include <vector>

namespace dragoman {

enum class ResultFormat {
  Text,   ///< the translation
  Pieces, ///< its pieces, separated by spaces, without special tokens
  Ids,    ///< its ids, separated by spaces, end token included
  Json,   ///< one object
};

struct WriterOptions {
  ResultFormat format = ResultFormat::Text;
  /// Text, pieces and ids: "SCORE ||| " before the line.
  bool scores = false;
  /// Text, pieces and ids: Marian's n-best lines instead,
  /// "NUMBER ||| TEXT ||| F0= SUM ||| SCORE" with NUMBER from 0.
  bool nBest = false;
};

/// Pieces of target ids, special ones included.
using PieceFunction =
    std::function<std::vector<std::string>(const std::vector<int64_t> &)>;

class ResultWriter {
public:
  ResultWriter(const WriterOptions &options, const GenerationSettings &settings,
               PieceFunction pieces);

  /// The output of one line, line ends included: one line, or in n-best form
  /// one for each hypothesis. A line without translation is an empty one.
  std::string format(const LineResult &result) const;

private:
  std::string body(const LineResult &result, size_t hypothesis) const;
  std::string json(const LineResult &result) const;
  std::vector<std::string> piecesOf(const Hypothesis &hypothesis) const;

  WriterOptions options;
  const GenerationSettings &settings;
  PieceFunction pieces;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_RESULTWRITER_H
