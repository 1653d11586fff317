//===- Hash.cpp - xxh3-128 checksums --------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/Hash.h"

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

namespace dragoman {

static std::string toHex(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string text;
  text.reserve(checksumDigits);
  for (unsigned char byte : canonical.digest) {
    text.push_back("0123456789abcdef"[byte >> 4]);
    text.push_back("0123456789abcdef"[byte & 15]);
  }
  return text;
}

std::string checksumOf(std::string_view bytes) {
  return toHex(XXH3_128bits(bytes.data(), bytes.size()));
}

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state(std::make_unique<State>()) {
  XXH3_128bits_reset(&state->xxh);
}

Hasher::~Hasher() = default;

void Hasher::update(const void *data, size_t bytes) {
  XXH3_128bits_update(&state->xxh, data, bytes);
}

std::string Hasher::digest() const {
  return toHex(XXH3_128bits_digest(&state->xxh));
}

} // namespace dragoman
