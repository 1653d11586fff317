//===- Output.cpp - Where results go --------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/Output.h"

#include "runtime/base/SystemError.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dragoman;

Result<std::unique_ptr<Output>> Output::open(const std::string &path) {
  std::unique_ptr<Output> output(new Output());
  if (path == "-") {
    output->descriptor = STDOUT_FILENO;
    output->name = "standard output";
    return output;
  }
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
      !S_ISDIR(status.st_mode)) {
    output->descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    output->name = path;
    if (output->descriptor < 0)
      return systemError("cannot open", path);
    return output;
  }
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  if (!file)
    return file.status();
  output->file = std::move(*file);
  return output;
}

Output::~Output() {
  if (descriptor >= 0 && descriptor != STDOUT_FILENO)
    close(descriptor);
}

Status Output::write(std::string_view text) {
  buffer += text;
  constexpr size_t enough = 1 << 16;
  return buffer.size() < enough ? Status::ok() : flush();
}

Status Output::flush() {
  if (buffer.empty())
    return Status::ok();
  if (!file)
    return writeToDescriptor();
  Status status = file->write(buffer);
  buffer.clear();
  return status;
}

Status Output::writeToDescriptor() {
  while (!buffer.empty()) {
    ssize_t written = ::write(descriptor, buffer.data(), buffer.size());
    if (written >= 0) {
      buffer.erase(0, size_t(written));
      continue;
    }
    if (errno == EINTR)
      continue;
    // The reader has gone: end the way a pipe's writer ends, without a word.
    if (errno == EPIPE)
      _exit(128 + SIGPIPE);
    return systemError("cannot write", name);
  }
  return Status::ok();
}

Status Output::finish() {
  DRAGOMAN_RETURN_IF_ERROR(flush());
  return file ? file->commit() : Status::ok();
}
