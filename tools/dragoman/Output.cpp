//===- Output.cpp - Where results go --------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/Output.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <unistd.h>

using namespace dragoman;

Result<std::unique_ptr<Output>> Output::open(const std::string &path) {
  std::unique_ptr<Output> output(new Output());
  if (path == "-")
    return output;
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  if (!file)
    return file.status();
  output->file = std::move(*file);
  return output;
}

Status Output::write(std::string_view text) {
  buffer += text;
  constexpr size_t enough = 1 << 16;
  return buffer.size() < enough ? Status::ok() : flush();
}

Status Output::flush() {
  if (buffer.empty())
    return Status::ok();
  if (file) {
    Status status = file->write(buffer);
    buffer.clear();
    return status;
  }
  while (!buffer.empty()) {
    ssize_t written = ::write(STDOUT_FILENO, buffer.data(), buffer.size());
    if (written >= 0) {
      buffer.erase(0, size_t(written));
      continue;
    }
    if (errno == EINTR)
      continue;
    // The reader has gone: end the way a pipe's writer ends, without a word.
    if (errno == EPIPE)
      _exit(128 + SIGPIPE);
    return Status(StatusCode::InvalidData,
                  std::string("cannot write: ") + std::strerror(errno),
                  "standard output");
  }
  return Status::ok();
}

Status Output::finish() {
  DRAGOMAN_RETURN_IF_ERROR(flush());
  return file ? file->commit() : Status::ok();
}
