//===- ApiTranslator.cpp - Translators of the C interface -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiSupport.h"
#include "runtime/base/Utf8.h"
#include "runtime/decode/LoadedTranslator.h"

#include <algorithm>
#include <limits>

using namespace dragoman;
using namespace dragoman::api;

struct dg_translator {
  std::shared_ptr<ThreadPool> pool; ///< outlives the translator
  std::unique_ptr<LoadedTranslator> loaded;
  std::unique_ptr<EditRules> rules;
  TranslatorOptions options;
  std::atomic<bool> isBusy{false};
};

struct dg_translations {
  std::vector<LineResult> lines;
  std::vector<std::string> warnings;
};

namespace {

/// The lines of a caller's array.
class ArraySource final : public LineSource {
public:
  ArraySource(const char *const *lines, size_t count)
      : lines(lines), count(count) {}

  Result<bool> next(LineReader::Line &line) override {
    if (at == count)
      return false;
    const char *text = lines[at++];
    DRAGOMAN_RETURN_IF_ERROR(
        needs(text, ("line " + std::to_string(at)).c_str()));
    line.text = text;
    line.number = static_cast<int64_t>(at);
    std::replace(line.text.begin(), line.text.end(), '\n', ' ');
    std::replace(line.text.begin(), line.text.end(), '\r', ' ');
    line.repaired = repairUtf8(line.text);
    return true;
  }
  bool wouldBlock() override { return false; }

private:
  const char *const *lines;
  size_t count;
  size_t at = 0;
};

/// Marks a translator as busy for one scope.
class BusyScope {
public:
  explicit BusyScope(std::atomic<bool> &flag)
      : flag(flag), entered(!flag.exchange(true, std::memory_order_acquire)) {}
  ~BusyScope() {
    if (entered)
      flag.store(false, std::memory_order_release);
  }
  bool isEntered() const { return entered; }

private:
  std::atomic<bool> &flag;
  const bool entered;
};

Result<nlohmann::json> parseSettings(const char *text) {
  if (!text)
    return nlohmann::json::object();
  nlohmann::json value =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object())
    return Status(StatusCode::InvalidArgument,
                  std::string("expected a JSON object, found '") + text + "'",
                  "settings");
  return value;
}

} // namespace

dg_status *dg_translator_new(dg_model *model,
                             const dg_translator_options *options,
                             dg_translator **out) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(out, "out"));
    *out = nullptr;
    DRAGOMAN_RETURN_IF_ERROR(needs(model, "model"));
    auto handle = std::make_unique<dg_translator>();
    SessionOptions session;
    if (dg_pool *pool = DG_OPTION(options, pool, nullptr)) {
      handle->pool = pool->pool;
      session.pool = handle->pool.get();
    }
    uint64_t limit = DG_OPTION(options, memory_limit, 0);
    handle->options.batch.memoryLimit = static_cast<int64_t>(
        std::min<uint64_t>(limit, std::numeric_limits<int64_t>::max()));
    if (DG_OPTION(options, fail_on_long, 0))
      handle->options.onLong = OnLong::Fail;
    Result<nlohmann::json> json =
        parseSettings(DG_OPTION(options, settings, nullptr));
    if (!json)
      return json.status();
    Result<std::unique_ptr<LoadedTranslator>> loaded =
        LoadedTranslator::create(model->model, session);
    if (!loaded)
      return loaded.status();
    handle->loaded = std::move(*loaded);
    std::vector<std::string> notices;
    Result<GenerationSettings> settings =
        handle->loaded->settings(*json, notices);
    if (!settings)
      return settings.status();
    handle->rules = std::make_unique<EditRules>(
        *settings, handle->loaded->model().limits());
    *out = handle.release();
    return Status::ok();
  });
}

void dg_translator_free(dg_translator *translator) { delete translator; }

dg_status *dg_translate(dg_translator *translator, const char *const *lines,
                        size_t count, const dg_cancel *cancel,
                        dg_translations **out) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(out, "out"));
    *out = nullptr;
    DRAGOMAN_RETURN_IF_ERROR(needs(translator, "translator"));
    if (count > 0)
      DRAGOMAN_RETURN_IF_ERROR(needs(lines, "lines"));
    BusyScope busy(translator->isBusy);
    if (!busy.isEntered())
      return Status(StatusCode::InvalidArgument,
                    "expected an idle translator, found one that is running");
    auto result = std::make_unique<dg_translations>();
    const std::atomic<bool> *flag = cancel ? &cancel->flag : nullptr;
    translator->loaded->model().setCancelFlag(flag);
    Translator job(translator->loaded->model(), translator->loaded->codec(),
                   *translator->rules, translator->options);
    job.setWarn(
        [&](const std::string &text) { result->warnings.push_back(text); });
    ArraySource source(lines, count);
    Status status = job.run(
        source,
        [&](LineResult line) {
          result->lines.push_back(std::move(line));
          return Status::ok();
        },
        flag);
    translator->loaded->model().setCancelFlag(nullptr);
    DRAGOMAN_RETURN_IF_ERROR(status);
    *out = result.release();
    return Status::ok();
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void dg_translations_free(dg_translations *translations) {
  delete translations;
}

size_t dg_translations_count(const dg_translations *translations) {
  return translations ? translations->lines.size() : 0;
}

static const LineResult *lineOf(const dg_translations *translations,
                                size_t line) {
  return line < dg_translations_count(translations) ? &translations->lines[line]
                                                    : nullptr;
}

const char *dg_translations_text(const dg_translations *translations,
                                 size_t line) {
  const LineResult *found = lineOf(translations, line);
  return found && !found->texts.empty() ? found->texts[0].c_str() : "";
}

const char *dg_translations_error(const dg_translations *translations,
                                  size_t line) {
  const LineResult *found = lineOf(translations, line);
  return found && !found->error.empty() ? found->error.c_str() : nullptr;
}

size_t dg_translations_hypotheses(const dg_translations *translations,
                                  size_t line) {
  const LineResult *found = lineOf(translations, line);
  return found ? std::min(found->texts.size(), found->hypotheses.size()) : 0;
}

const char *dg_translations_hypothesis_text(const dg_translations *translations,
                                            size_t line, size_t hypothesis) {
  if (hypothesis >= dg_translations_hypotheses(translations, line))
    return nullptr;
  return translations->lines[line].texts[hypothesis].c_str();
}

float dg_translations_hypothesis_score(const dg_translations *translations,
                                       size_t line, size_t hypothesis) {
  if (hypothesis >= dg_translations_hypotheses(translations, line))
    return std::numeric_limits<float>::quiet_NaN();
  return translations->lines[line].hypotheses[hypothesis].score;
}

size_t dg_translations_warnings(const dg_translations *translations) {
  return translations ? translations->warnings.size() : 0;
}

const char *dg_translations_warning(const dg_translations *translations,
                                    size_t index) {
  return index < dg_translations_warnings(translations)
             ? translations->warnings[index].c_str()
             : nullptr;
}
