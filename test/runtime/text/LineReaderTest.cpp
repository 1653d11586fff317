//===- LineReaderTest.cpp - Lines of a text stream ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/text/LineReader.h"
#include "test/runtime/TestFiles.h"

#include <gmock/gmock.h>

#include <thread>
#include <unistd.h>
#include <zlib.h>

using namespace dragoman;
using namespace dragoman::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Lines = std::vector<std::string>;

class LineReaderFile : public testing::Test {
protected:
  std::unique_ptr<LineReader> open(const std::string &name = "in") {
    auto reader = LineReader::open(folder / name);
    EXPECT_TRUE(reader.isOk()) << reader.status().toString();
    return std::move(*reader);
  }

  /// Every line of a file with these bytes; `repaired` gets the sum.
  Lines linesOf(const std::string &bytes, int64_t *repaired = nullptr) {
    writeBytes(folder / "in", bytes);
    std::unique_ptr<LineReader> reader = open();
    Lines lines;
    LineReader::Line line;
    while (true) {
      const Result<bool> more = reader->next(line);
      EXPECT_TRUE(more.isOk()) << more.status().toString();
      if (!more || !*more)
        return lines;
      lines.push_back(line.text);
      EXPECT_EQ(line.number, static_cast<int64_t>(lines.size()));
      if (repaired)
        *repaired += line.repaired;
    }
  }

  void writeCompressed(const std::string &name, const std::string &bytes,
                       const char *mode = "wb") {
    gzFile file = gzopen((folder / name).c_str(), mode);
    ASSERT_TRUE(file);
    ASSERT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
              static_cast<int>(bytes.size()));
    ASSERT_EQ(gzclose(file), Z_OK);
  }

  TemporaryFolder folder;
};

TEST_F(LineReaderFile, LinesEndAtLineFeedOnly) {
  EXPECT_THAT(linesOf(""), ElementsAre());
  EXPECT_THAT(linesOf("\n"), ElementsAre(""));
  EXPECT_THAT(linesOf("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(linesOf("a\nb"), ElementsAre("a", "b")) << "no final line end";
  EXPECT_THAT(linesOf("a\r\nb\rc\r\n"), ElementsAre("a", "b\rc"));
  EXPECT_THAT(linesOf("a\r"), ElementsAre("a"));
  EXPECT_THAT(linesOf("a\r\r\n"), ElementsAre("a\r")) << "one CR belongs to LF";
  const std::string inside = "a\u2028b\u0085c\vd\fe";
  EXPECT_THAT(linesOf(inside + "\n"), ElementsAre(inside));
}

TEST_F(LineReaderFile, ByteOrderMarkIsDroppedAtTheStartOnly) {
  EXPECT_THAT(linesOf("\uFEFFa\n\uFEFFb\n"), ElementsAre("a", "\uFEFFb"));
  EXPECT_THAT(linesOf("\uFEFF\r\nb"), ElementsAre("", "b"));
}

TEST_F(LineReaderFile, NulAndControlCharactersAreData) {
  const std::string text("a\0b\x01\x1F\x7F", 6);
  EXPECT_THAT(linesOf(text + "\nc\n"), ElementsAre(text, "c"));
}

TEST_F(LineReaderFile, InvalidBytesAreRepairedAndCounted) {
  int64_t repaired = 0;
  EXPECT_THAT(
      linesOf("a\x80\nok\n\xC0\xAF\n\xED\xA0\x80\n\xF0\x9F\x98", &repaired),
      ElementsAre("a\uFFFD", "ok", "\uFFFD\uFFFD", "\uFFFD\uFFFD\uFFFD",
                  "\uFFFD\uFFFD\uFFFD"));
  EXPECT_EQ(repaired, 1 + 2 + 3 + 3);
}

TEST_F(LineReaderFile, LinesOfAnyLength) {
  // Ends before, at and behind the chunks of the reader.
  for (size_t length : {65535u, 65536u, 65537u, 131072u, 3000000u}) {
    const std::string text(length, 'x');
    EXPECT_THAT(linesOf(text + "\nshort\n" + text),
                ElementsAre(text, "short", text));
  }
}

TEST_F(LineReaderFile, CharactersAcrossChunksStayWhole) {
  std::string text = "x";
  while (text.size() < 200000)
    text += "\u20AC";
  int64_t repaired = 0;
  EXPECT_THAT(linesOf(text + "\n", &repaired), ElementsAre(text));
  EXPECT_EQ(repaired, 0);
}

TEST_F(LineReaderFile, CompressedBySuffix) {
  writeCompressed("in.gz", "a\nb");
  writeCompressed("in.gz", "c\n", "ab"); // a second member
  std::unique_ptr<LineReader> reader = open("in.gz");
  LineReader::Line line;
  ASSERT_TRUE(*reader->next(line));
  EXPECT_EQ(line.text, "a");
  ASSERT_TRUE(*reader->next(line));
  EXPECT_EQ(line.text, "bc");
  EXPECT_FALSE(*reader->next(line));
}

TEST_F(LineReaderFile, DamagedCompressionIsReported) {
  std::string text;
  for (int i = 0; i < 30000; ++i)
    text += std::to_string(i * 7919) + "\n";
  writeCompressed("in.gz", text);
  const std::string whole = bytesOf(folder / "in.gz");
  const auto failure = [&](const std::string &bytes) {
    writeBytes(folder / "in.gz", bytes);
    std::unique_ptr<LineReader> reader = open("in.gz");
    LineReader::Line line;
    while (true) {
      const Result<bool> more = reader->next(line);
      if (!more)
        return more.status().toString();
      if (!*more)
        return std::string("accepted");
    }
  };
  EXPECT_EQ(failure(whole.substr(0, whole.size() / 2)),
            folder / "in.gz: cannot decompress: unexpected end of file");
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 1; // in the CRC
  EXPECT_THAT(failure(flipped), HasSubstr("cannot decompress: incorrect data"));
}

TEST_F(LineReaderFile, MissingFilesAndFoldersAreRefused) {
  const auto missing = LineReader::open(folder / "none");
  ASSERT_FALSE(missing.isOk());
  EXPECT_EQ(missing.status().code(), StatusCode::NotFound);
  const auto directory = LineReader::open(folder.path);
  ASSERT_FALSE(directory.isOk());
  EXPECT_EQ(directory.status().message(), "expected a file, found a folder");
}

/// Replaces standard input by a pipe for as long as it lives.
class PipedInput {
public:
  PipedInput() {
    saved = dup(STDIN_FILENO);
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    writer = ends[1];
  }
  ~PipedInput() {
    finish();
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
  void write(std::string_view text) {
    EXPECT_EQ(::write(writer, text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  void finish() {
    if (writer >= 0)
      close(writer);
    writer = -1;
  }

private:
  int saved, writer;
};

TEST(LineReader, StandardInputTellsWhenItWouldBlock) {
  PipedInput input;
  auto opened = LineReader::open("-");
  ASSERT_TRUE(opened.isOk());
  LineReader &reader = **opened;
  EXPECT_TRUE(reader.wouldBlock());
  input.write("a\nb\npart");
  EXPECT_FALSE(reader.wouldBlock());
  LineReader::Line line;
  ASSERT_TRUE(*reader.next(line));
  EXPECT_EQ(line.text, "a");
  EXPECT_FALSE(reader.wouldBlock());
  ASSERT_TRUE(*reader.next(line));
  EXPECT_TRUE(reader.wouldBlock()) << "only a part of a line is there";
  input.write("ial\n");
  EXPECT_FALSE(reader.wouldBlock());
  ASSERT_TRUE(*reader.next(line));
  EXPECT_EQ(line.text, "partial");
  input.finish();
  EXPECT_FALSE(reader.wouldBlock()) << "the end does not block";
  EXPECT_FALSE(*reader.next(line));
}

} // namespace
