//===- ZipFormat.h - Record layouts of zip files ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the zip reader and writer: signatures, record sizes and
// little-endian access. Field offsets are those of the .ZIP application note,
// sections 4.3.7 (local header), 4.3.12 (central header), 4.3.14 and 4.3.15
// (64-bit end record and locator), 4.3.16 (end record), 4.5.3 (64-bit sizes).
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_ZIPFORMAT_H
#define DRAGOMAN_RUNTIME_ARTIFACT_ZIPFORMAT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::zip {

inline constexpr uint32_t localSignature = 0x04034b50;
inline constexpr uint32_t centralSignature = 0x02014b50;
inline constexpr uint32_t endSignature = 0x06054b50;
inline constexpr uint32_t wideEndSignature = 0x06064b50;
inline constexpr uint32_t wideLocatorSignature = 0x07064b50;

inline constexpr uint64_t localBytes = 30;
inline constexpr uint64_t centralBytes = 46;
inline constexpr uint64_t endBytes = 22;
inline constexpr uint64_t wideEndBytes = 56;
inline constexpr uint64_t wideLocatorBytes = 20;

inline constexpr uint16_t wideExtra = 0x0001;  ///< 64-bit sizes and offset
inline constexpr uint16_t alignExtra = 0xD935; ///< alignment padding
inline constexpr uint16_t flagEncrypted = 0x0001;
inline constexpr uint16_t flagUtf8 = 0x0800;
inline constexpr uint16_t versionStored = 20;
inline constexpr uint16_t versionWide = 45;
inline constexpr uint16_t noValue16 = 0xFFFF;
inline constexpr uint32_t noValue32 = 0xFFFFFFFF;

/// The little-endian integer at `offset`; the caller has checked the range.
template <typename T> T load(std::string_view bytes, uint64_t offset) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(
        static_cast<T>(static_cast<uint8_t>(bytes[offset + i])) << (8 * i));
  return value;
}

/// Appends `value`, little-endian.
template <typename T> void store(std::string &out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    out.push_back(static_cast<char>(static_cast<uint8_t>(value >> (8 * i))));
}

} // namespace dragoman::zip

#endif // DRAGOMAN_RUNTIME_ARTIFACT_ZIPFORMAT_H
