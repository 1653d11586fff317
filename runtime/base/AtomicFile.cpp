//===- AtomicFile.cpp - Files that appear whole or not at all -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AtomicFile.h"

#include "runtime/base/SystemError.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dragoman {

namespace {

constexpr int maxNameTries = 100;

/// A name beside the destination that no other writer of this machine uses.
std::string temporaryName(const std::string &destination) {
  static std::atomic<unsigned> counter{0};
  const size_t slash = destination.rfind('/');
  const size_t start = slash == std::string::npos ? 0 : slash + 1;
  return destination.substr(0, start) + "." + destination.substr(start) +
         ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
}

} // namespace

Result<std::unique_ptr<AtomicFile>>
AtomicFile::create(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return Status(StatusCode::InvalidArgument,
                  "cannot write: expected a new path or a regular file", path);
  std::unique_ptr<AtomicFile> file(new AtomicFile());
  file->destination = path;
  const size_t slash = path.rfind('/');
  file->folder = slash == std::string::npos ? "."
                 : slash == 0               ? "/"
                                            : path.substr(0, slash);
  file->descriptor =
      open(file->folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (file->descriptor >= 0)
    return file;
  // The file system has no nameless files, or the folder is the problem, which
  // the second attempt reports.
  for (int i = 0; i < maxNameTries && file->descriptor < 0; ++i) {
    file->temporary = temporaryName(path);
    file->descriptor = open(file->temporary.c_str(),
                            O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
    if (file->descriptor < 0 && errno != EEXIST)
      break;
  }
  if (file->descriptor < 0) {
    Status status = systemError("cannot write", path);
    file->temporary.clear();
    return status;
  }
  return file;
}

AtomicFile::~AtomicFile() {
  if (descriptor >= 0)
    close(descriptor);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

Status AtomicFile::write(const void *data, size_t bytes) {
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor, next, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemError("cannot write", destination);
    next += written;
    bytes -= static_cast<size_t>(written);
    end += static_cast<uint64_t>(written);
  }
  return Status::ok();
}

Status AtomicFile::writeZeros(uint64_t count) {
  static const char zeros[4096] = {};
  while (count > 0) {
    const size_t piece =
        static_cast<size_t>(std::min<uint64_t>(count, sizeof(zeros)));
    DRAGOMAN_RETURN_IF_ERROR(write(zeros, piece));
    count -= piece;
  }
  return Status::ok();
}

Status AtomicFile::writeAt(uint64_t offset, std::string_view bytes) {
  assert(offset + bytes.size() <= end && "writeAt only overwrites");
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(),
                                   static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return systemError("cannot write", destination);
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return Status::ok();
}

/// Gives the nameless file a temporary name.
Status AtomicFile::link() {
  const std::string self = "/proc/self/fd/" + std::to_string(descriptor);
  for (int i = 0; i < maxNameTries; ++i) {
    const std::string name = temporaryName(destination);
    if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(),
               AT_SYMLINK_FOLLOW) == 0) {
      temporary = name;
      return Status::ok();
    }
    if (errno != EEXIST)
      break;
  }
  return systemError("cannot write", destination);
}

Status AtomicFile::commit() {
  if (fsync(descriptor) != 0)
    return systemError("cannot write", destination);
  if (temporary.empty())
    DRAGOMAN_RETURN_IF_ERROR(link());
  if (std::rename(temporary.c_str(), destination.c_str()) != 0)
    return systemError("cannot write", destination);
  temporary.clear();
  const int closed = close(descriptor);
  descriptor = -1;
  if (closed != 0)
    return systemError("cannot write", destination);

  const int folderDescriptor =
      open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folderDescriptor < 0)
    return systemError("cannot open the folder", folder);
  // Some file systems cannot sync a folder; the file itself is safe already.
  const bool synced = fsync(folderDescriptor) == 0 || errno == EINVAL;
  Status status =
      synced ? Status::ok() : systemError("cannot write the folder", folder);
  close(folderDescriptor);
  return status;
}

Status writeFileAtomically(const std::string &path, std::string_view bytes) {
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  if (!file)
    return file.status();
  DRAGOMAN_RETURN_IF_ERROR((*file)->write(bytes));
  return (*file)->commit();
}

} // namespace dragoman
