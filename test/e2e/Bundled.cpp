//===- Bundled.cpp - The bundled translator in tests ----------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/e2e/Bundled.h"
#include "test/e2e/Process.h"
#include "test/runtime/TestFiles.h"

#include "runtime/artifact/Artifact.h"

#include <gtest/gtest.h>

using namespace dragoman;
using namespace dragoman::test;

std::string dragoman::test::bundledArtifact() {
  return std::string(DRAGOMAN_BINARY_DIR) + "/bundled/en-de.dgm";
}

std::string dragoman::test::referencePath(const std::string &name) {
  return sourcePath("models/multi30k-en-de/reference/" + name);
}

std::vector<std::string>
dragoman::test::referenceLines(const std::string &name) {
  return linesOf(bytesOf(referencePath(name)));
}

std::unique_ptr<LoadedTranslator>
dragoman::test::loadBundled(Pool *pool, const std::string &level) {
  LoadOptions load;
  load.level = level;
  SessionOptions session;
  session.pool = pool;
  Result<std::unique_ptr<LoadedTranslator>> loaded =
      LoadedTranslator::load(bundledArtifact(), load, session);
  EXPECT_TRUE(loaded.isOk()) << loaded.status().toString();
  return loaded ? std::move(*loaded) : nullptr;
}

std::vector<std::string> dragoman::test::usableLevels() {
  Result<std::unique_ptr<Artifact>> artifact =
      Artifact::open(bundledArtifact());
  EXPECT_TRUE(artifact.isOk()) << artifact.status().toString();
  std::vector<std::string> levels;
  if (artifact)
    for (const CodeDesc &code : (*artifact)->manifest().code)
      if (CpuFeatures::host().missing(code.features).empty())
        levels.push_back(code.level);
  return levels;
}

namespace {
class VectorSource : public LineSource {
public:
  explicit VectorSource(const std::vector<std::string> &lines) : lines(lines) {}
  Result<bool> next(LineReader::Line &line) override {
    if (at == lines.size())
      return false;
    line = {lines[at], int64_t(at) + 1, 0};
    ++at;
    return true;
  }
  bool wouldBlock() override { return false; }

private:
  const std::vector<std::string> &lines;
  size_t at = 0;
};
} // namespace

std::vector<LineResult>
dragoman::test::translateLines(LoadedTranslator &loaded,
                               const std::vector<std::string> &lines,
                               const JobOptions &options) {
  std::vector<std::string> notices;
  Result<GenerationSettings> settings =
      loaded.settings(options.settings, notices);
  EXPECT_TRUE(settings.isOk()) << settings.status().toString();
  std::vector<LineResult> results;
  if (!settings)
    return results;
  EditRules rules(*settings, loaded.model().limits());
  Translator translator(loaded.model(), loaded.codec(), rules,
                        options.translator);
  translator.setWarn([&](const std::string &text) {
    if (options.warnings)
      options.warnings->push_back(text);
  });
  VectorSource source(lines);
  Status status = translator.run(source, [&](LineResult result) {
    results.push_back(std::move(result));
    return Status::ok();
  });
  EXPECT_TRUE(status.isOk()) << status.toString();
  EXPECT_EQ(results.size(), lines.size());
  if (options.statistics)
    *options.statistics = translator.batchStatistics();
  return results;
}

void dragoman::test::expectSameResult(const LineResult &found,
                                      const LineResult &expected,
                                      const std::string &what) {
  EXPECT_EQ(found.error, expected.error) << what;
  EXPECT_EQ(found.texts, expected.texts) << what;
  ASSERT_EQ(found.hypotheses.size(), expected.hypotheses.size()) << what;
  for (size_t i = 0; i < found.hypotheses.size(); ++i) {
    const Hypothesis &a = found.hypotheses[i], &b = expected.hypotheses[i];
    EXPECT_EQ(a.ids, b.ids) << what;
    // Finite floats: equality is equality of bits, but for the sign of zero.
    EXPECT_EQ(a.score, b.score) << what;
    EXPECT_EQ(a.tokenScores, b.tokenScores) << what;
  }
}
