//===- Safetensors.h - Headers of safetensors files -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A safetensors file is a u64 header length, a JSON header, and the tensors'
// bytes without holes or overlaps, little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_SAFETENSORS_H
#define DRAGOMAN_RUNTIME_ARTIFACT_SAFETENSORS_H

#include "runtime/artifact/CommandTable.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

struct SafetensorsTensor {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  uint64_t begin = 0; ///< bytes from the start of the data
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsTensor> tensors; ///< by begin
  uint64_t dataOffset = 0;                ///< bytes from the start of the file
  uint64_t dataBytes = 0;
};

/// Parses and checks the header against the file's size. Refused: a length
/// beyond the file or 100 MB, text that is not such an object, an unknown type,
/// offsets that do not fit type and shape, holes, overlaps, bytes left over.
Result<SafetensorsHeader> parseSafetensors(std::string_view file);

/// The length and header text for tensors given in order of their bytes, padded
/// with spaces so that the data begins at a multiple of 64.
std::string
formatSafetensorsHeader(const std::vector<SafetensorsTensor> &tensors);

/// Padding tensors have this name and a number behind it.
inline constexpr const char *padTensorPrefix = "__pad.";

/// Sets offset and bytes of each weight, in order, at multiples of
/// weightAlignment, and returns the tensors of the file: the weights with their
/// stored shapes, padding tensors between them, and one of weightTailBytes
/// behind the last.
Result<std::vector<SafetensorsTensor>>
layoutWeights(std::vector<WeightDesc> &weights);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_SAFETENSORS_H
