//===- Tokenizer.cpp - Lines to ids and back ------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/Tokenizer.h"

#include "runtime/base/Utf8.h"
#include "runtime/text/SentencePiece.h"
#include "runtime/text/SentencePieceFile.h"
#include "runtime/text/Vocabulary.h"

#include <algorithm>
#include <unordered_map>

namespace dragoman {

namespace {

/// U+2581, which stands for a space in pieces.
constexpr std::string_view spaceMark = "\xE2\x96\x81";
/// A tokenizer with a larger share of pieces that the vocabulary lacks is
/// probably not the model's.
constexpr size_t maxMissingPercent = 20;

/// Ids of the tokens with a meaning of their own.
struct SpecialIds {
  int64_t eos = 0;
  int64_t unk = 0;
  int64_t pad = 0;
  int64_t start = -1; ///< of a list of words; -1 = none
  bool has(int64_t id) const {
    return id == eos || id == unk || id == pad || id == start;
  }
};

Result<int64_t> requireToken(const Vocabulary &vocabulary,
                             const std::string &token) {
  if (const std::optional<int64_t> id = vocabulary.id(token))
    return *id;
  return Status(StatusCode::InvalidData,
                "expected token '" + token + "', found " +
                    std::to_string(vocabulary.size()) + " tokens without it");
}

Result<SpecialIds> findSpecials(const Vocabulary &vocabulary,
                                const TextDesc &desc) {
  Result<int64_t> eos = requireToken(vocabulary, desc.eosToken);
  if (!eos)
    return eos.status();
  Result<int64_t> unk = requireToken(vocabulary, desc.unkToken);
  if (!unk)
    return unk.status();
  Result<int64_t> pad = requireToken(vocabulary, desc.padToken);
  if (!pad)
    return pad.status();
  return SpecialIds{*eos, *unk, *pad};
}

/// Empty, or a warning that many pieces are not in the vocabulary.
std::string foreignWarning(const std::vector<SentencePieceEntry> &pieces,
                           const Vocabulary &vocabulary,
                           const std::string &modelName,
                           const std::string &vocabName) {
  size_t total = 0, missing = 0;
  for (const SentencePieceEntry &piece : pieces) {
    if (piece.kind != PieceKind::Normal && piece.kind != PieceKind::UserDefined)
      continue;
    ++total;
    missing += vocabulary.id(piece.text) ? 0 : 1;
  }
  if (missing * 100 <= total * maxMissingPercent)
    return "";
  return modelName + ": " + std::to_string(missing) + " of " +
         std::to_string(total) + " pieces are not in " + vocabName +
         "; the tokenizer files may be swapped or from another model";
}

/// The byte that a piece like <0xE4> stands for, or nothing.
std::optional<char> byteOf(std::string_view piece) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  if (piece.size() != 6 || piece.substr(0, 3) != "<0x" || piece[5] != '>')
    return std::nullopt;
  const size_t high = digits.find(piece[3]), low = digits.find(piece[4]);
  if (high == std::string_view::npos || low == std::string_view::npos)
    return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

void replaceAll(std::string &text, std::string_view from, std::string_view to) {
  size_t at = 0;
  while ((at = text.find(from, at)) != std::string::npos) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

/// Takes out the spaces that `clean_up_tokenization_spaces` stands for, in the
/// order that users of such models know.
void cleanUp(std::string &text) {
  constexpr std::pair<std::string_view, std::string_view> rules[] = {
      {" .", "."},     {" ?", "?"},     {" !", "!"},   {" ,", ","},
      {" ' ", "'"},    {" n't", "n't"}, {" 'm", "'m"}, {" 's", "'s"},
      {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto &[from, to] : rules)
    replaceAll(text, from, to);
}

/// True for characters that neither show nor separate: zero-width and
/// directional marks, joiners, variation selectors, the soft hyphen.
bool isInvisible(uint32_t character) {
  return character == 0xAD || character == 0x34F || character == 0x61C ||
         (character >= 0x200B && character <= 0x200F) ||
         (character >= 0x202A && character <= 0x202E) ||
         (character >= 0x2060 && character <= 0x206F) ||
         (character >= 0xFE00 && character <= 0xFE0F) || character == 0xFEFF;
}

/// True if a piece of valid UTF-8 has nothing but space marks and invisible
/// characters. All of them have two or three bytes.
bool isBlankPiece(std::string_view piece) {
  while (!piece.empty()) {
    const size_t length = utf8SequenceLength(piece);
    if (length != 2 && length != 3)
      return false;
    uint32_t character = static_cast<uint8_t>(piece[0]) & (0x7F >> length);
    for (size_t i = 1; i < length; ++i)
      character = character << 6 | (static_cast<uint8_t>(piece[i]) & 0x3F);
    if (!isInvisible(character) && piece.substr(0, length) != spaceMark)
      return false;
    piece.remove_prefix(length);
  }
  return true;
}

/// True for a token of the form >>xx<<.
bool isLanguageTag(std::string_view token) {
  return token.size() > 4 && token.substr(0, 2) == ">>" &&
         token.substr(token.size() - 2) == "<<";
}

/// The leading >>xx<< of a line, or empty. Only a short one without spaces
/// counts; anything else is a quotation.
std::string_view leadingTag(std::string_view line) {
  constexpr size_t maxTagBytes = 64;
  if (line.substr(0, 2) != ">>")
    return {};
  const size_t end = line.find("<<", 2);
  if (end == std::string_view::npos || end == 2 || end + 2 > maxTagBytes)
    return {};
  const std::string_view tag = line.substr(0, end + 2);
  return tag.find_first_of(" \t") == std::string_view::npos
             ? tag
             : std::string_view();
}

std::string unknownTagWarning(std::string_view tag,
                              const Vocabulary &vocabulary) {
  constexpr size_t maxListed = 20;
  const std::vector<std::string> known = vocabulary.languageTags();
  std::string text = "the model does not know the language tag " +
                     std::string(tag) + "; it is read as text";
  if (known.empty())
    return text + " (the model knows no language tags)";
  text += " (known: ";
  for (size_t i = 0; i < std::min(known.size(), maxListed); ++i)
    text += (i == 0 ? "" : ", ") + known[i];
  return text +
         (known.size() > maxListed
              ? ", and " + std::to_string(known.size() - maxListed) + " more)"
              : ")");
}

} // namespace

struct Tokenizer::Impl {
  std::unique_ptr<SentencePiece> source; ///< null: words between spaces
  std::unique_ptr<Vocabulary> sourceVocabulary;
  std::unique_ptr<Vocabulary> ownTargetVocabulary; ///< null if shared
  SpecialIds sourceIds, targetIds;
  /// What each target id adds to the text.
  std::vector<std::string> targetText;
  bool cleanUpSpaces = false;
  std::vector<std::string> warnings;

  const Vocabulary &targetVocabulary() const {
    return ownTargetVocabulary ? *ownTargetVocabulary : *sourceVocabulary;
  }
  Status loadVocabularies(const TextDesc &desc, const TokenizerFiles &files);
  Status loadModels(const TextDesc &desc, const TokenizerFiles &files);
  void fillTargetText(const std::vector<SentencePieceEntry> &pieces);
  void fillTargetWords();
  Result<std::vector<std::string>> split(std::string_view line) const;
  int64_t idOf(const std::string &piece) const;
};

static Result<std::unique_ptr<Vocabulary>>
loadVocabulary(std::string_view json, const TextDesc &desc, SpecialIds &ids,
               const std::string &name) {
  Result<Vocabulary> parsed = Vocabulary::parse(json);
  if (!parsed)
    return parsed.status().at(name);
  Result<SpecialIds> specials = findSpecials(*parsed, desc);
  if (!specials)
    return specials.status().at(name);
  ids = *specials;
  return std::make_unique<Vocabulary>(std::move(*parsed));
}

Status Tokenizer::Impl::loadVocabularies(const TextDesc &desc,
                                         const TokenizerFiles &files) {
  Result<std::unique_ptr<Vocabulary>> loaded =
      loadVocabulary(files.sourceVocab, desc, sourceIds, desc.sourceVocab);
  if (!loaded)
    return loaded.status();
  sourceVocabulary = std::move(*loaded);
  targetIds = sourceIds;
  if (files.targetVocab == files.sourceVocab)
    return Status::ok();
  loaded = loadVocabulary(files.targetVocab, desc, targetIds, desc.targetVocab);
  if (!loaded)
    return loaded.status();
  ownTargetVocabulary = std::move(*loaded);
  return Status::ok();
}

Status Tokenizer::Impl::loadModels(const TextDesc &desc,
                                   const TokenizerFiles &files) {
  Result<std::vector<SentencePieceEntry>> sourcePieces =
      readSentencePieceFile(files.sourceModel);
  if (!sourcePieces)
    return sourcePieces.status().at(desc.sourceModel);
  Result<std::unique_ptr<SentencePiece>> loaded =
      SentencePiece::load(files.sourceModel);
  if (!loaded)
    return loaded.status().at(desc.sourceModel);
  source = std::move(*loaded);
  // Joining pieces needs only their kinds, not the library.
  Result<std::vector<SentencePieceEntry>> targetPieces = sourcePieces;
  if (files.targetModel != files.sourceModel)
    targetPieces = readSentencePieceFile(files.targetModel);
  if (!targetPieces)
    return targetPieces.status().at(desc.targetModel);
  fillTargetText(*targetPieces);

  for (std::string warning :
       {foreignWarning(*sourcePieces, *sourceVocabulary, desc.sourceModel,
                       desc.sourceVocab),
        foreignWarning(*targetPieces, targetVocabulary(), desc.targetModel,
                       desc.targetVocab)})
    if (!warning.empty())
      warnings.push_back(std::move(warning));
  return Status::ok();
}

void Tokenizer::Impl::fillTargetText(
    const std::vector<SentencePieceEntry> &pieces) {
  std::unordered_map<std::string_view, PieceKind> kinds;
  for (const SentencePieceEntry &piece : pieces)
    if (piece.kind == PieceKind::Byte || piece.kind == PieceKind::Control)
      kinds.emplace(piece.text, piece.kind);
  const Vocabulary &vocabulary = targetVocabulary();
  targetText.resize(static_cast<size_t>(vocabulary.size()));
  for (int64_t id = 0; id < vocabulary.size(); ++id) {
    if (targetIds.has(id))
      continue;
    const std::string &token = vocabulary.token(id);
    const auto kind = kinds.find(token);
    if (kind == kinds.end()) {
      targetText[id] = token;
      replaceAll(targetText[id], spaceMark, " ");
    } else if (kind->second == PieceKind::Byte) {
      if (const std::optional<char> byte = byteOf(token))
        targetText[id] = std::string(1, *byte);
    }
  }
}

/// Words are joined by spaces.
void Tokenizer::Impl::fillTargetWords() {
  sourceIds.start = sourceVocabulary->id("<s>").value_or(-1);
  targetIds.start = targetVocabulary().id("<s>").value_or(-1);
  const Vocabulary &vocabulary = targetVocabulary();
  targetText.resize(static_cast<size_t>(vocabulary.size()));
  for (int64_t id = 0; id < vocabulary.size(); ++id)
    if (!targetIds.has(id))
      targetText[id] = " " + vocabulary.token(id);
}

Result<std::vector<std::string>>
Tokenizer::Impl::split(std::string_view line) const {
  if (source)
    return source->encode(line);
  constexpr std::string_view spaces = " \t\r\v\f";
  std::vector<std::string> words;
  for (size_t at = line.find_first_not_of(spaces);
       at != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(spaces, at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = line.find_first_not_of(spaces, end);
  }
  return words;
}

Tokenizer::Tokenizer() : impl(std::make_unique<Impl>()) {}
Tokenizer::~Tokenizer() = default;

Result<std::unique_ptr<Tokenizer>>
Tokenizer::create(const TextDesc &desc, const TokenizerFiles &files) {
  const bool words = desc.kind == "words";
  if (desc.kind != "marian" && !words)
    return Status(StatusCode::Unsupported,
                  "expected a tokenizer of kind marian or words, found '" +
                      desc.kind + "'");
  std::unique_ptr<Tokenizer> tokenizer(new Tokenizer());
  Impl &impl = *tokenizer->impl;
  impl.cleanUpSpaces = desc.cleanUpSpaces;
  DRAGOMAN_RETURN_IF_ERROR(impl.loadVocabularies(desc, files));
  if (words)
    impl.fillTargetWords();
  else
    DRAGOMAN_RETURN_IF_ERROR(impl.loadModels(desc, files));
  return tokenizer;
}

/// Text never becomes a special token or a language tag, however it is spelt.
int64_t Tokenizer::Impl::idOf(const std::string &piece) const {
  if (isLanguageTag(piece))
    return sourceIds.unk;
  const std::optional<int64_t> id = sourceVocabulary->id(piece);
  return id && !sourceIds.has(*id) ? *id : sourceIds.unk;
}

Result<EncodedLine> Tokenizer::encode(std::string_view line,
                                      size_t maxIds) const {
  assert(maxIds != 1 && "there must be room for a piece and the end token");
  EncodedLine result;
  if (const std::string_view tag = leadingTag(line); !tag.empty()) {
    if (const std::optional<int64_t> id = impl->sourceVocabulary->id(tag)) {
      result.ids.push_back(*id);
      line.remove_prefix(tag.size());
    } else {
      result.warning = unknownTagWarning(tag, *impl->sourceVocabulary);
    }
  }
  std::string withoutNul;
  if (line.find('\0') != std::string_view::npos) {
    withoutNul = line;
    std::replace(withoutNul.begin(), withoutNul.end(), '\0', ' ');
    line = withoutNul;
  }
  Result<std::vector<std::string>> pieces = impl->split(line);
  if (!pieces)
    return pieces.status();
  // A lone space mark is what a model that keeps spaces leaves of a blank line;
  // a lone joiner is kept by every model.
  if (std::all_of(pieces->begin(), pieces->end(), isBlankPiece)) {
    result.ids.clear();
    result.blank = true;
    return result;
  }
  for (const std::string &piece : *pieces) {
    result.ids.push_back(impl->idOf(piece));
    result.unknown += result.ids.back() == impl->sourceIds.unk ? 1 : 0;
  }
  result.fullLength = result.ids.size() + 1;
  if (maxIds > 0 && result.fullLength > maxIds)
    result.ids.resize(maxIds - 1);
  result.ids.push_back(impl->sourceIds.eos);
  return result;
}

std::string Tokenizer::decode(std::span<const int64_t> ids) const {
  std::string text;
  for (int64_t id : ids)
    if (id >= 0 && id < static_cast<int64_t>(impl->targetText.size()))
      text += impl->targetText[id];
  if (!text.empty() && text[0] == ' ')
    text.erase(0, 1);
  repairUtf8(text);
  if (impl->cleanUpSpaces)
    cleanUp(text);
  return text;
}

static std::vector<std::string> tokensOf(const Vocabulary &vocabulary,
                                         std::span<const int64_t> ids) {
  std::vector<std::string> tokens;
  for (int64_t id : ids)
    if (id >= 0 && id < vocabulary.size())
      tokens.push_back(vocabulary.token(id));
  return tokens;
}

std::vector<std::string> Tokenizer::pieces(std::span<const int64_t> ids) const {
  return tokensOf(impl->targetVocabulary(), ids);
}

std::vector<std::string>
Tokenizer::sourcePieces(std::span<const int64_t> ids) const {
  return tokensOf(*impl->sourceVocabulary, ids);
}

int64_t Tokenizer::eosId() const { return impl->targetIds.eos; }
int64_t Tokenizer::unkId() const { return impl->targetIds.unk; }
int64_t Tokenizer::padId() const { return impl->targetIds.pad; }

const Vocabulary &Tokenizer::sourceVocabulary() const {
  return *impl->sourceVocabulary;
}

const Vocabulary &Tokenizer::targetVocabulary() const {
  return impl->targetVocabulary();
}

const std::vector<std::string> &Tokenizer::warnings() const {
  return impl->warnings;
}

} // namespace dragoman
