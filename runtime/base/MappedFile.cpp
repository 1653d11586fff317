//===- MappedFile.cpp - Files mapped for reading --------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/MappedFile.h"

#include "runtime/base/SystemError.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dragoman {

MappedFile::~MappedFile() {
  if (address)
    munmap(address, length);
}

static Result<MappedFile> failed(int descriptor, Status status) {
  close(descriptor);
  return status;
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0)
    return systemError("cannot open", path);
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return failed(descriptor, systemError("cannot inspect", path));
  if (!S_ISREG(info.st_mode))
    return failed(
        descriptor,
        Status(StatusCode::InvalidData,
               S_ISDIR(info.st_mode)
                   ? "expected a regular file, found a folder"
                   : "expected a regular file, found a device or pipe",
               path));
  MappedFile file;
  file.length = static_cast<size_t>(info.st_size);
  if (file.length > 0) {
    void *mapped =
        mmap(nullptr, file.length, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      file.length = 0;
      return failed(descriptor, systemError("cannot map", path));
    }
    file.address = mapped;
  }
  close(descriptor);
  return file;
}

void MappedFile::adviseHugePages(size_t offset) const {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  offset = offset / page * page;
  if (offset < length)
    (void)madvise(static_cast<char *>(address) + offset, length - offset,
                  MADV_HUGEPAGE);
}

Result<std::string> readFile(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  return std::string(file->bytes());
}

} // namespace dragoman
