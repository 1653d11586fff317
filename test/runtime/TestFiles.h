//===- TestFiles.h - Temporary folders and bytes of tests -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_RUNTIME_TESTFILES_H
#define DRAGOMAN_TEST_RUNTIME_TESTFILES_H

#include "runtime/base/MappedFile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace dragoman::test {

/// A folder of its own, removed with all it holds.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = testing::TempDir() + "/dragoman-XXXXXX";
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string &name) const {
    return path + "/" + name;
  }
  /// Number of files and folders in it.
  size_t entries() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(path),
                      std::filesystem::directory_iterator()));
  }
  std::string path;
};

inline void writeBytes(const std::string &path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  ASSERT_TRUE(out.good()) << path;
}

/// The contents of a file that must exist.
inline std::string bytesOf(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().toString();
  return bytes.isOk() ? *bytes : std::string();
}

inline std::string sourcePath(const std::string &relative) {
  return std::string(DRAGOMAN_SOURCE_DIR) + "/" + relative;
}

} // namespace dragoman::test

#endif // DRAGOMAN_TEST_RUNTIME_TESTFILES_H
