//===- Npy.h - Arrays in NumPy's file format --------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files, versions 1.0 to 3.0, of the element types f32,
// f64, f16, i64, i32, i8, u8 and bool, little-endian. Object (pickled) arrays
// are refused; column-major arrays are converted to row-major.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_ARTIFACT_NPY_H
#define DRAGOMAN_RUNTIME_ARTIFACT_NPY_H

#include "runtime/artifact/CommandTable.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A dense row-major array and its bytes.
struct NpyArray {
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  int64_t elements() const;
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(bytes.data());
  }
  template <typename T> T *data() {
    return reinterpret_cast<T *>(bytes.data());
  }
};

/// Parses the text of a file; errors name what was expected and found.
Result<NpyArray> parseNpy(std::string_view file);
Result<NpyArray> readNpy(const std::string &path);

/// The bytes of a version 1.0 file.
Result<std::string> formatNpy(ElementType type,
                              const std::vector<int64_t> &shape,
                              const void *data);
/// Writes through a temporary file and rename.
Status writeNpy(const std::string &path, ElementType type,
                const std::vector<int64_t> &shape, const void *data);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_ARTIFACT_NPY_H
