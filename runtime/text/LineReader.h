//===- LineReader.h - Lines of a text stream --------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line ends at LF and nowhere else; a CR before it and a byte order mark at
// the start of the stream are dropped; the last line counts without LF too.
// Each invalid UTF-8 byte becomes one U+FFFD.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TEXT_LINEREADER_H
#define DRAGOMAN_RUNTIME_TEXT_LINEREADER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <memory>
#include <string>

namespace dragoman {

/// Reads the lines of a file, of a .gz file, or of standard input ("-").
class LineReader {
public:
  struct Line {
    std::string text;
    int64_t number = 0;   ///< counted from 1
    int64_t repaired = 0; ///< invalid bytes replaced
  };

  static Result<std::unique_ptr<LineReader>> open(const std::string &path);
  ~LineReader();
  LineReader(const LineReader &) = delete;
  LineReader &operator=(const LineReader &) = delete;

  /// Reads the next line into `line`; false at the end of the stream.
  Result<bool> next(Line &line);

  /// True if next() would have to wait for more input: the moment to flush
  /// what has been collected.
  bool wouldBlock();

private:
  LineReader();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TEXT_LINEREADER_H
