//===- Report.cpp - A run on one page -------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Report.h"

#include "runtime/base/AtomicFile.h"
#include "runtime/base/MappedFile.h"
#include "runtime/base/Quantities.h"
#include "runtime/train/Chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

using namespace dragoman;
using Json = nlohmann::json;

namespace {

constexpr const char *style = R"(<style>
:root{--bg:#fff;--fg:#1c2024;--dim:#60646c;--rule:#d9dbe0;--card:#f7f8fa;
--c0:#2563c9;--c1:#c2410c;--c2:#15803d;--c3:#7e22ce;--heat:37,99,201}
@media(prefers-color-scheme:dark){:root{--bg:#15171a;--fg:#e6e8eb;
--dim:#9ba1a9;--rule:#34383e;--card:#1d2024;--c0:#7aa7f7;--c1:#f59e6b;
--c2:#6ecb8b;--c3:#c99bf2;--heat:122,167,247}}
body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;
max-width:1340px;margin:0 auto;padding:24px}
h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:32px 0 8px}
.dim{color:var(--dim)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(480px,1fr));
gap:16px}
svg{width:100%;background:var(--card);border-radius:8px}
svg text{font-size:12px;fill:var(--dim)}svg .title{fill:var(--fg);
font-weight:600;font-size:14px}
.grid{stroke:var(--rule);fill:none}.axis{stroke:var(--dim);fill:none}
.line{stroke:var(--c);fill:none;stroke-width:1.8;stroke-linejoin:round}
.dot{fill:var(--c)}.legend text{fill:var(--c)}
.tiles{display:flex;flex-wrap:wrap;gap:12px;margin:16px 0}
.tile{background:var(--card);border-radius:8px;padding:10px 16px}
.tile b{display:block;font-size:22px;font-variant-numeric:tabular-nums}
table{border-collapse:collapse}td,th{padding:4px 10px;text-align:left;
vertical-align:top;border-bottom:1px solid var(--rule)}
.sample{background:var(--card);border-radius:8px;padding:10px 16px;margin:8px 0}
.sample td{border:0;padding:1px 12px 1px 0}
pre{background:var(--card);border-radius:8px;padding:12px 16px;overflow:auto}
.heat td{width:20px;height:20px;padding:0;border:0}
.heat th{border:0;font-weight:400;padding:1px 6px;white-space:nowrap}
.heat thead th{writing-mode:vertical-rl;transform:rotate(180deg);padding:6px 1px}
.wide{overflow-x:auto}
</style>)";

/// The objects of a file of lines; a last line that is cut is left out.
std::vector<Json> readRecords(const std::string &path) {
  std::vector<Json> records;
  Result<std::string> text = readFile(path);
  if (!text)
    return records;
  for (size_t begin = 0; begin < text->size();) {
    size_t end = std::min(text->find('\n', begin), text->size());
    Json record = Json::parse(text->substr(begin, end - begin), nullptr,
                              /*allow_exceptions=*/false);
    if (record.is_object())
      records.push_back(std::move(record));
    begin = end + 1;
  }
  return records;
}

double numberOf(const Json &record, const char *key) {
  auto found = record.find(key);
  return found != record.end() && found->is_number() ? found->get<double>()
                                                     : NAN;
}

/// The curve of a key over updates, from the records of a type ("" = all).
ChartSeries curve(const std::vector<Json> &records, const char *type,
                  const char *key, const char *name) {
  // A run that went on after a crash has some updates twice: the last counts.
  std::map<double, double> points;
  for (const Json &record : records)
    if (*type == 0 || record.value("type", "") == type)
      if (double value = numberOf(record, key); std::isfinite(value))
        points[numberOf(record, "update")] = value;
  return {name, {points.begin(), points.end()}};
}

std::string tile(const std::string &name, const std::string &value) {
  return "<div class=\"tile\"><span class=\"dim\">" + escapeHtml(name) +
         "</span><b>" + escapeHtml(value) + "</b></div>";
}

std::string fixed(double value, int digits) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

std::string tiles(const std::vector<Json> &records) {
  std::string html;
  int64_t updates = 0, labels = 0;
  double bestNll = NAN, bestBleu = NAN, bestChrf = NAN;
  std::string signature;
  for (const Json &record : records) {
    updates = std::max(updates, record.value("update", int64_t(0)));
    labels = std::max(labels, record.value("labels", int64_t(0)));
    if (record.value("type", "") != "valid")
      continue;
    bestNll = std::fmin(bestNll, numberOf(record, "nll"));
    bestBleu = std::fmax(bestBleu, numberOf(record, "bleu"));
    bestChrf = std::fmax(bestChrf, numberOf(record, "chrf2"));
    signature = record.value("bleu_signature", signature);
  }
  html += tile("updates", formatCount(updates));
  html += tile("labels seen", formatCount(labels));
  if (std::isfinite(bestNll))
    html += tile("best validation nll", fixed(bestNll, 3)) +
            tile("perplexity", fixed(std::exp(bestNll), 2));
  if (std::isfinite(bestBleu))
    html += tile("best BLEU", fixed(bestBleu, 2)) +
            tile("best chrF2", fixed(bestChrf, 1));
  html = "<div class=\"tiles\">" + html + "</div>";
  if (!signature.empty())
    html += "<p class=\"dim\">" + escapeHtml(signature) + "</p>";
  return html;
}

std::string charts(const std::vector<Json> &records,
                   const std::vector<Json> &speeds) {
  std::string html;
  html += chartSvg("Negative log-likelihood per label",
                   {curve(records, "train", "nll", "training"),
                    curve(records, "valid", "nll", "validation")});
  html +=
      chartSvg("Loss with smoothing", {curve(records, "train", "loss", "")});
  html += chartSvg("BLEU and chrF2 of the validation set",
                   {curve(records, "valid", "bleu", "BLEU"),
                    curve(records, "valid", "chrf2", "chrF2")});
  html += chartSvg("Accuracy of the next label",
                   {curve(records, "train", "accuracy", "training"),
                    curve(records, "valid", "accuracy", "validation")});
  html += chartSvg("Learning rate", {curve(records, "train", "lr", "")});
  html += chartSvg("Norm of the gradient",
                   {curve(records, "train", "grad_norm", "")});
  html +=
      chartSvg("Tokens per second", {curve(speeds, "", "src_tok_s", "source"),
                                     curve(speeds, "", "tgt_tok_s", "target")});
  return "<h2>Curves over updates</h2><div class=\"charts\">" + html + "</div>";
}

/// Samples of the last validation, with what the first one said.
std::string samples(const std::vector<Json> &records) {
  const Json *first = nullptr, *last = nullptr;
  for (const Json &record : records)
    if (record.contains("samples")) {
      first = first ? first : &record;
      last = &record;
    }
  if (!last)
    return "";
  std::string html = "<h2>Sample translations</h2>";
  auto row = [](const std::string &name, const std::string &text) {
    return "<tr><td class=\"dim\">" + escapeHtml(name) + "</td><td>" +
           escapeHtml(text) + "</td></tr>";
  };
  auto updateOf = [](const Json &record) {
    return "update " + formatCount(record.value("update", int64_t(0)));
  };
  const Json &list = (*last)["samples"];
  for (size_t i = 0; i < list.size(); ++i) {
    html += "<table class=\"sample\">" +
            row("source", list[i].value("source", "")) +
            row("reference", list[i].value("reference", ""));
    if (first != last && i < (*first)["samples"].size())
      html +=
          row(updateOf(*first), (*first)["samples"][i].value("hypothesis", ""));
    html += row(updateOf(*last), list[i].value("hypothesis", "")) + "</table>";
  }
  return html;
}

std::string heatMap(const AlignmentPicture &picture) {
  std::string html = "<div class=\"wide\"><table class=\"heat\"><thead><tr>"
                     "<th></th>";
  for (const std::string &token : picture.source)
    html += "<th>" + escapeHtml(token) + "</th>";
  html += "</tr></thead>";
  for (size_t t = 0; t < picture.target.size(); ++t) {
    html += "<tr><th>" + escapeHtml(picture.target[t]) + "</th>";
    for (size_t s = 0; s < picture.source.size(); ++s) {
      float weight = picture.weights[t * picture.source.size() + s];
      std::string value = fixed(weight, 2);
      html += "<td style=\"background:rgba(var(--heat)," + value +
              ")\" title=\"" + escapeHtml(picture.target[t]) + " / " +
              escapeHtml(picture.source[s]) + " " + value + "\"></td>";
    }
    html += "</tr>";
  }
  return html + "</table></div>";
}

} // namespace

Result<std::string> dragoman::makeReport(const std::string &folder,
                                         const ReportExtras &extras) {
  std::vector<Json> records = readRecords(folder + "/train.jsonl");
  if (records.empty())
    return Status(StatusCode::NotFound, "expected the records of a run",
                  folder + "/train.jsonl");
  std::string title = extras.title;
  if (title.empty())
    title = std::filesystem::weakly_canonical(folder).filename();
  std::string html =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
      escapeHtml(title) + "</title>" + style + "</head><body><h1>" +
      escapeHtml(title) + "</h1>";
  html += tiles(records);
  html += charts(records, readRecords(folder + "/speed.jsonl"));
  html += samples(records);
  if (!extras.alignments.empty()) {
    html += "<h2>Alignments</h2><p class=\"dim\">Weights of the attention from "
            "target tokens (rows) to source tokens (columns).</p>";
    for (const AlignmentPicture &picture : extras.alignments)
      html += heatMap(picture);
  }
  if (!extras.config.empty())
    html +=
        "<h2>Configuration</h2><pre>" + escapeHtml(extras.config) + "</pre>";
  return html + "</body></html>\n";
}

Status dragoman::writeReport(const std::string &folder,
                             const ReportExtras &extras) {
  Result<std::string> html = makeReport(folder, extras);
  if (!html)
    return html.status();
  return writeFileAtomically(folder + "/report.html", *html);
}
