//===- LineReader.cpp - Lines of a text stream ----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/LineReader.h"

#include "runtime/base/SystemError.h"
#include "runtime/base/Utf8.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace dragoman {

namespace {

constexpr size_t chunkBytes = 64u << 10;
constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";

bool endsWith(const std::string &text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

} // namespace

struct LineReader::Impl {
  std::string place;
  int descriptor = -1;
  bool owned = false;
  gzFile compressed = nullptr;
  std::string buffer;
  size_t begin = 0;   ///< of the unread bytes
  size_t scanned = 0; ///< no LF in [begin, scanned)
  bool ended = false;
  int64_t lines = 0;

  ~Impl();
  Result<size_t> read(char *data, size_t bytes);
  Status fill();
  size_t findEnd();
};

LineReader::Impl::~Impl() {
  if (compressed)
    gzclose(compressed); // closes the descriptor too
  else if (owned && descriptor >= 0)
    close(descriptor);
}

/// Reads up to `bytes` bytes; 0 at the end of the stream.
Result<size_t> LineReader::Impl::read(char *data, size_t bytes) {
  if (compressed) {
    const int count = gzread(compressed, data, static_cast<unsigned>(bytes));
    int number = Z_OK;
    const char *reason = gzerror(compressed, &number);
    if (count < 0 || (number != Z_OK && number != Z_STREAM_END && count == 0)) {
      // zlib puts the number of the descriptor before the reason.
      const std::string_view text = reason;
      const size_t colon = text.find(": ");
      return Status(StatusCode::InvalidData,
                    "cannot decompress: " +
                        std::string(text.substr(
                            colon == std::string_view::npos ? 0 : colon + 2)),
                    place);
    }
    return static_cast<size_t>(count);
  }
  while (true) {
    const ssize_t count = ::read(descriptor, data, bytes);
    if (count >= 0)
      return static_cast<size_t>(count);
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd wait = {descriptor, POLLIN, 0};
      (void)poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return systemError("cannot read", place);
    }
  }
}

/// Appends one chunk to the unread bytes.
Status LineReader::Impl::fill() {
  buffer.erase(0, begin);
  scanned -= begin;
  begin = 0;
  const size_t kept = buffer.size();
  buffer.resize(kept + chunkBytes);
  Result<size_t> count = read(buffer.data() + kept, chunkBytes);
  buffer.resize(kept + (count ? *count : 0));
  if (!count)
    return count.status();
  ended = *count == 0;
  return Status::ok();
}

/// Position of the next LF, or npos.
size_t LineReader::Impl::findEnd() {
  const size_t found = buffer.find('\n', scanned);
  scanned = found == std::string::npos ? buffer.size() : found;
  return found;
}

LineReader::LineReader() : impl(std::make_unique<Impl>()) {}
LineReader::~LineReader() = default;

Result<std::unique_ptr<LineReader>> LineReader::open(const std::string &path) {
  std::unique_ptr<LineReader> reader(new LineReader());
  Impl &impl = *reader->impl;
  if (path == "-") {
    impl.place = "standard input";
    impl.descriptor = STDIN_FILENO;
    return reader;
  }
  impl.place = path;
  impl.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (impl.descriptor < 0)
    return systemError("cannot open", path);
  impl.owned = true;
  struct stat info;
  if (fstat(impl.descriptor, &info) == 0 && S_ISDIR(info.st_mode))
    return Status(StatusCode::InvalidData, "expected a file, found a folder",
                  path);
  if (!endsWith(path, ".gz"))
    return reader;
  impl.compressed = gzdopen(impl.descriptor, "rb");
  if (!impl.compressed)
    return Status(StatusCode::OutOfMemory, "cannot decompress", path);
  (void)gzbuffer(impl.compressed, chunkBytes);
  return reader;
}

Result<bool> LineReader::next(Line &line) {
  line.text.clear();
  line.repaired = 0;
  // Whole chunks move to the line at once, so that a long line is copied a
  // bounded number of times.
  size_t end;
  while ((end = impl->findEnd()) == std::string::npos && !impl->ended) {
    line.text.append(impl->buffer, impl->begin);
    impl->begin = impl->scanned = impl->buffer.size();
    DRAGOMAN_RETURN_IF_ERROR(impl->fill());
  }
  const bool terminated = end != std::string::npos;
  if (!terminated)
    end = impl->buffer.size();
  line.text.append(impl->buffer, impl->begin, end - impl->begin);
  impl->begin = impl->scanned = terminated ? end + 1 : end;
  if (!terminated && line.text.empty())
    return false;
  line.number = ++impl->lines;
  if (!line.text.empty() && line.text.back() == '\r')
    line.text.pop_back();
  if (line.number == 1 &&
      line.text.compare(0, byteOrderMark.size(), byteOrderMark) == 0)
    line.text.erase(0, byteOrderMark.size());
  line.repaired = repairUtf8(line.text);
  return true;
}

bool LineReader::wouldBlock() {
  while (impl->findEnd() == std::string::npos && !impl->ended) {
    if (impl->compressed)
      return false;
    pollfd ready = {impl->descriptor, POLLIN, 0};
    if (poll(&ready, 1, 0) <= 0)
      return true;
    if (!impl->fill())
      return false; // next() meets the same error
  }
  return false;
}

} // namespace dragoman
