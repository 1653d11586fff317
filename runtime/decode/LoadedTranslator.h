//===- LoadedTranslator.h - An artifact ready to translate ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_LOADEDTRANSLATOR_H
#define DRAGOMAN_RUNTIME_DECODE_LOADEDTRANSLATOR_H

#include "runtime/decode/CompiledStepModel.h"
#include "runtime/decode/ResolveSettings.h"
#include "runtime/decode/Translator.h"

#include <memory>
#include <string>
#include <vector>

namespace dragoman {

/// The lines of a LineReader.
class ReaderSource : public LineSource {
public:
  explicit ReaderSource(LineReader &reader) : reader(reader) {}
  Result<bool> next(LineReader::Line &line) override {
    return reader.next(line);
  }
  bool wouldBlock() override { return reader.wouldBlock(); }

private:
  LineReader &reader;
};

/// A Tokenizer behind the translator's interface.
class TokenizerCodec : public TextCodec {
public:
  explicit TokenizerCodec(const Tokenizer &tokenizer) : tokenizer(tokenizer) {}
  Result<EncodedLine> encode(std::string_view line,
                             size_t maxIds) const override {
    return tokenizer.encode(line, maxIds);
  }
  std::string decode(std::span<const int64_t> ids) const override {
    return tokenizer.decode(ids);
  }

private:
  const Tokenizer &tokenizer;
};

/// Model, session, tokenizer and settings of one artifact.
class LoadedTranslator {
public:
  /// Refuses an artifact that is no translator, or whose vocabulary does not
  /// fit its logits.
  static Result<std::unique_ptr<LoadedTranslator>>
  load(const std::string &path, const LoadOptions &load,
       const SessionOptions &session);
  /// The same on a model that others may be using, too.
  static Result<std::unique_ptr<LoadedTranslator>>
  create(std::shared_ptr<const Model> model, const SessionOptions &session);

  CompiledStepModel &model() { return *stepModel; }
  const TextCodec &codec() const { return *textCodec; }
  const Tokenizer &tokenizer() const { return *textTokenizer; }
  const Model &compiled() const { return *compiledModel; }

  /// The settings of this artifact under those of the command line (an object
  /// keyed by setting name). `notices` as in resolveSettings.
  Result<GenerationSettings> settings(const nlohmann::json &commandLine,
                                      std::vector<std::string> &notices) const;

  /// What loading noticed but could live with, one text each.
  const std::vector<std::string> &warnings() const { return loadWarnings; }

private:
  LoadedTranslator() = default;
  Status loadText();

  std::shared_ptr<const Model> compiledModel;
  std::unique_ptr<CompiledStepModel> stepModel;
  std::unique_ptr<Tokenizer> textTokenizer;
  std::unique_ptr<TokenizerCodec> textCodec;
  std::vector<std::string> loadWarnings;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_LOADEDTRANSLATOR_H
