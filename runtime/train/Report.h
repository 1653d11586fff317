//===- Report.h - A run on one page -----------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_REPORT_H
#define DRAGOMAN_RUNTIME_TRAIN_REPORT_H

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace dragoman {

/// The weights of one translation: rows are target tokens, columns are source
/// tokens.
struct AlignmentPicture {
  std::vector<std::string> source, target;
  std::vector<float> weights; ///< [target, source]
};

/// What the page shows beside the run's records.
struct ReportExtras {
  std::string title;  ///< "" = the folder's name
  std::string config; ///< YAML
  std::vector<AlignmentPicture> alignments;
};

/// One HTML page, without links to anything outside of it, from train.jsonl and
/// speed.jsonl of a run's folder: curves of loss, scores, rate and speed, the
/// best values, sample translations.
Result<std::string> makeReport(const std::string &folder,
                               const ReportExtras &extras);

/// Writes it to report.html in the folder.
Status writeReport(const std::string &folder, const ReportExtras &extras);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_REPORT_H
