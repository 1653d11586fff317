//===- SentencePieceFile.cpp - Checks of .spm files -----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/SentencePieceFile.h"

#include "runtime/base/Utf8.h"
#include "runtime/text/WireReader.h"

#include <cmath>
#include <cstring>
#include <unordered_set>

namespace dragoman {

namespace {

// Field numbers of sentencepiece_model.proto.
constexpr uint32_t modelPieces = 1;
constexpr uint32_t modelTrainer = 2;
constexpr uint32_t modelNormalizer = 3;
constexpr uint32_t modelDenormalizer = 5;
constexpr uint32_t pieceText = 1;
constexpr uint32_t pieceScore = 2;
constexpr uint32_t pieceKind = 3;
constexpr uint32_t trainerModelType = 3;
constexpr uint32_t normalizerMap = 2;

/// The library takes sizes as int.
constexpr size_t maxFileBytes = INT32_MAX;
constexpr uint64_t lastModelType = 4; // unigram, bpe, word, char

Status damaged(std::string message) {
  return Status(StatusCode::InvalidData, std::move(message));
}

/// A field of the wrong wire type would be skipped by the library as unknown.
Status expectType(const WireField &field, WireType type, const char *what) {
  if (field.type == type)
    return Status::ok();
  return damaged("expected " + std::string(what) + " in wire type " +
                 std::to_string(static_cast<int>(type)) + ", found type " +
                 std::to_string(static_cast<int>(field.type)));
}

/// A piece's text for messages: short and without control characters.
std::string shown(std::string_view text) {
  constexpr size_t limit = 40;
  std::string result(text.substr(0, limit));
  repairUtf8(result);
  for (char &character : result)
    if (static_cast<unsigned char>(character) < 0x20)
      character = '?';
  return "'" + result + (text.size() > limit ? "...'" : "'");
}

Status readPiece(const WireField &message, SentencePieceEntry &piece) {
  WireReader reader(message.bytes, message.offset);
  WireField field;
  while (!reader.atEnd()) {
    DRAGOMAN_RETURN_IF_ERROR(reader.next(field));
    if (field.number == pieceText) {
      DRAGOMAN_RETURN_IF_ERROR(expectType(field, WireType::Bytes, "a text"));
      piece.text = std::string(field.bytes.substr(0, maxPieceBytes + 1));
      if (field.bytes.size() > maxPieceBytes)
        return damaged("expected at most " + std::to_string(maxPieceBytes) +
                       " bytes, found " + std::to_string(field.bytes.size()));
    } else if (field.number == pieceScore) {
      DRAGOMAN_RETURN_IF_ERROR(expectType(field, WireType::Fixed32, "a score"));
      const auto bits = static_cast<uint32_t>(field.value);
      float score;
      std::memcpy(&score, &bits, sizeof(score));
      if (!std::isfinite(score))
        return damaged("expected a finite score, found " +
                       std::to_string(score));
    } else if (field.number == pieceKind) {
      DRAGOMAN_RETURN_IF_ERROR(expectType(field, WireType::Varint, "a kind"));
      if (field.value < static_cast<uint64_t>(PieceKind::Normal) ||
          field.value > static_cast<uint64_t>(PieceKind::Byte))
        return damaged("expected a kind from 1 to 6, found " +
                       std::to_string(field.value));
      piece.kind = static_cast<PieceKind>(field.value);
    }
  }
  if (piece.text.empty())
    return damaged("expected a text, found an empty one");
  if (piece.text.find('\0') != std::string::npos)
    return damaged("expected no NUL character, found " + shown(piece.text));
  if (!isValidUtf8(piece.text))
    return damaged("expected UTF-8, found " + shown(piece.text));
  return Status::ok();
}

Status readTrainer(const WireField &message) {
  WireReader reader(message.bytes, message.offset);
  WireField field;
  while (!reader.atEnd()) {
    DRAGOMAN_RETURN_IF_ERROR(reader.next(field));
    if (field.number != trainerModelType)
      continue;
    DRAGOMAN_RETURN_IF_ERROR(
        expectType(field, WireType::Varint, "the model type"));
    if (field.value < 1 || field.value > lastModelType)
      return damaged("expected a model type from 1 to " +
                     std::to_string(lastModelType) + ", found " +
                     std::to_string(field.value));
  }
  return Status::ok();
}

Status readNormalizer(const WireField &message) {
  WireReader reader(message.bytes, message.offset);
  WireField field;
  while (!reader.atEnd()) {
    DRAGOMAN_RETURN_IF_ERROR(reader.next(field));
    if (field.number != normalizerMap)
      continue;
    DRAGOMAN_RETURN_IF_ERROR(
        expectType(field, WireType::Bytes, "the normalisation map"));
    DRAGOMAN_RETURN_IF_ERROR(checkPrecompiledMap(field.bytes));
  }
  return Status::ok();
}

Status checkPieces(const std::vector<SentencePieceEntry> &pieces) {
  if (pieces.empty())
    return damaged("expected pieces, found none");
  std::unordered_set<std::string_view> known;
  size_t unknown = 0;
  for (const SentencePieceEntry &piece : pieces) {
    if (!known.insert(piece.text).second)
      return damaged("expected each piece once, found " + shown(piece.text) +
                     " again");
    if (piece.kind == PieceKind::Unknown)
      ++unknown;
  }
  if (unknown != 1)
    return damaged("expected one unknown piece, found " +
                   (unknown == 0 ? "none" : std::to_string(unknown)));
  return Status::ok();
}

} // namespace

Result<std::vector<SentencePieceEntry>>
readSentencePieceFile(std::string_view file) {
  if (file.empty())
    return damaged("expected a SentencePiece model, found an empty file");
  if (file.size() > maxFileBytes)
    return damaged("expected a SentencePiece model below 2 GiB, found " +
                   std::to_string(file.size()) + " bytes");
  std::vector<SentencePieceEntry> pieces;
  bool hasTrainer = false, hasNormalizer = false;
  WireReader reader(file);
  WireField field;
  while (!reader.atEnd()) {
    DRAGOMAN_RETURN_IF_ERROR(reader.next(field));
    switch (field.number) {
    case modelPieces: {
      DRAGOMAN_RETURN_IF_ERROR(expectType(field, WireType::Bytes, "a piece"));
      SentencePieceEntry piece;
      if (Status status = readPiece(field, piece); !status)
        return status.at("piece " + std::to_string(pieces.size()));
      pieces.push_back(std::move(piece));
      break;
    }
    case modelTrainer:
      DRAGOMAN_RETURN_IF_ERROR(
          expectType(field, WireType::Bytes, "the trainer section"));
      DRAGOMAN_RETURN_IF_ERROR(readTrainer(field));
      hasTrainer = true;
      break;
    case modelNormalizer:
    case modelDenormalizer:
      DRAGOMAN_RETURN_IF_ERROR(
          expectType(field, WireType::Bytes, "the normaliser section"));
      DRAGOMAN_RETURN_IF_ERROR(readNormalizer(field));
      hasNormalizer = hasNormalizer || field.number == modelNormalizer;
      break;
    default:
      break;
    }
  }
  DRAGOMAN_RETURN_IF_ERROR(checkPieces(pieces));
  // Both sections stand behind the pieces: without them the file is cut.
  if (!hasTrainer || !hasNormalizer)
    return damaged("expected trainer and normaliser sections behind " +
                   std::to_string(pieces.size()) +
                   " pieces, found the end; the file is cut");
  return pieces;
}

} // namespace dragoman
