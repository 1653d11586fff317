//===- SentencePiece.cpp - Splitting text into pieces ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/SentencePiece.h"

#include <exception>
#include <sentencepiece_processor.h>

namespace dragoman {

struct SentencePiece::Impl {
  sentencepiece::SentencePieceProcessor processor;
};

SentencePiece::SentencePiece() : impl(std::make_unique<Impl>()) {}
SentencePiece::~SentencePiece() = default;

namespace {

/// Runs `call`, which returns the library's status, and turns a failure or an
/// exception into ours.
template <typename Call> Status guarded(const char *what, Call call) {
  std::string reason;
  try {
    const sentencepiece::util::Status status = call();
    if (status.ok())
      return Status::ok();
    reason = status.error_message();
  } catch (const std::exception &error) {
    reason = error.what();
  }
  return Status(StatusCode::InvalidData,
                std::string(what) + " failed in SentencePiece: " + reason);
}

} // namespace

Result<std::unique_ptr<SentencePiece>>
SentencePiece::load(std::string_view file) {
  std::unique_ptr<SentencePiece> model(new SentencePiece());
  DRAGOMAN_RETURN_IF_ERROR(guarded("loading", [&] {
    return model->impl->processor.LoadFromSerializedProto(file);
  }));
  return model;
}

Result<std::vector<std::string>>
SentencePiece::encode(std::string_view text) const {
  std::vector<std::string> pieces;
  DRAGOMAN_RETURN_IF_ERROR(guarded(
      "splitting", [&] { return impl->processor.Encode(text, &pieces); }));
  return pieces;
}

} // namespace dragoman
