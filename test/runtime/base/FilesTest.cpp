//===- FilesTest.cpp - Mapped and atomic files, checksums -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/AtomicFile.h"
#include "runtime/base/Hash.h"
#include "runtime/base/HugeBuffer.h"
#include "runtime/base/MappedFile.h"
#include "test/runtime/TestFiles.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace dragoman;
using namespace dragoman::test;

namespace {

TEST(MappedFile, ShowsTheBytes) {
  TemporaryFolder folder;
  writeBytes(folder / "a", std::string("x\0y", 3));
  Result<MappedFile> file = MappedFile::open(folder / "a");
  ASSERT_TRUE(file.isOk());
  EXPECT_EQ(file->bytes(), std::string_view("x\0y", 3));
  writeBytes(folder / "empty", "");
  Result<MappedFile> empty = MappedFile::open(folder / "empty");
  ASSERT_TRUE(empty.isOk());
  EXPECT_EQ(empty->bytes(), "");
}

TEST(MappedFile, RefusesWhatIsNoRegularFile) {
  TemporaryFolder folder;
  Result<MappedFile> missing = MappedFile::open(folder / "missing");
  ASSERT_FALSE(missing.isOk());
  EXPECT_EQ(missing.status().code(), StatusCode::NotFound);
  EXPECT_EQ(missing.status().toString(),
            folder / "missing: cannot open: no such file or directory");
  Result<MappedFile> directory = MappedFile::open(folder.path);
  ASSERT_FALSE(directory.isOk());
  EXPECT_EQ(directory.status().message(),
            "expected a regular file, found a folder");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  Result<MappedFile> pipe = MappedFile::open(folder / "pipe"); // must not block
  ASSERT_FALSE(pipe.isOk());
  EXPECT_EQ(pipe.status().message(),
            "expected a regular file, found a device or pipe");
}

TEST(AtomicFile, AppearsOnlyOnCommit) {
  TemporaryFolder folder;
  const std::string path = folder / "out";
  writeBytes(path, "old");
  {
    Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
    ASSERT_TRUE(file.isOk());
    ASSERT_TRUE((*file)->write("new, but never committed").isOk());
  }
  EXPECT_EQ(bytesOf(path), "old");
  EXPECT_EQ(folder.entries(), 1u);

  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::create(path);
  ASSERT_TRUE(file.isOk());
  ASSERT_TRUE((*file)->write("xbc").isOk());
  ASSERT_TRUE((*file)->writeZeros(5000).isOk());
  ASSERT_TRUE((*file)->writeAt(0, "a").isOk());
  EXPECT_EQ((*file)->position(), 5003u);
  EXPECT_EQ(bytesOf(path), "old");
  ASSERT_TRUE((*file)->commit().isOk());
  EXPECT_EQ(bytesOf(path), "abc" + std::string(5000, '\0'));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(AtomicFile, RefusesBadDestinations) {
  TemporaryFolder folder;
  Result<std::unique_ptr<AtomicFile>> missing =
      AtomicFile::create(folder / "missing/out");
  ASSERT_FALSE(missing.isOk());
  EXPECT_EQ(missing.status().code(), StatusCode::NotFound);
  Result<std::unique_ptr<AtomicFile>> directory =
      AtomicFile::create(folder.path);
  ASSERT_FALSE(directory.isOk());
  EXPECT_EQ(directory.status().message(),
            "cannot write: expected a new path or a regular file");
  // Renaming over a device would replace it.
  EXPECT_FALSE(AtomicFile::create("/dev/null").isOk());
}

/// Saves over `path` with room for 8 KiB; ends the process with 0 if that
/// failed and the old file is the only one.
[[noreturn]] void saveWithoutRoom(const TemporaryFolder &folder,
                                  const std::string &path) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit;
  limit.rlim_cur = limit.rlim_max = 8192;
  setrlimit(RLIMIT_FSIZE, &limit);
  if (writeFileAtomically(path, std::string(100000, 'x')).isOk())
    std::exit(1);
  std::exit(bytesOf(path) == "old" && folder.entries() == 1 ? 0 : 2);
}

TEST(AtomicFile, FullDiskLeavesTheOldFile) {
  // A limit on the file's size plays the full disk.
  TemporaryFolder folder;
  const std::string path = folder / "out";
  writeBytes(path, "old");
  EXPECT_EXIT(saveWithoutRoom(folder, path), testing::ExitedWithCode(0), "");
}

TEST(Hash, IsXxh3OfTheWholeInAnyPieces) {
  // The published value for no bytes.
  EXPECT_EQ(checksumOf(""), "99aa06d3014798d86001c324468d497f");
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += static_cast<char>(i * 7);
  for (size_t piece : {1u, 63u, 256u, 1000u}) {
    Hasher hasher;
    for (size_t at = 0; at < text.size(); at += piece)
      hasher.update(text.data() + at, std::min(piece, text.size() - at));
    EXPECT_EQ(hasher.digest(), checksumOf(text));
  }
}

TEST(HugeBuffer, IsAlignedZeroedAndWritable) {
  for (size_t bytes : {size_t(0), size_t(1), size_t(3) << 20}) {
    Result<HugeBuffer> buffer = HugeBuffer::allocate(bytes);
    ASSERT_TRUE(buffer.isOk());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % (2u << 20), 0u);
    ASSERT_GE(buffer->size(), bytes);
    EXPECT_EQ(buffer->data()[bytes / 2], 0);
    buffer->data()[buffer->size() - 1] = 1;
  }
  Result<HugeBuffer> tooMuch = HugeBuffer::allocate(size_t(1) << 60);
  ASSERT_FALSE(tooMuch.isOk());
  EXPECT_EQ(tooMuch.status().code(), StatusCode::OutOfMemory);
}

} // namespace
