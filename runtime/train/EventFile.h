//===- EventFile.h - TensorBoard event files --------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_EVENTFILE_H
#define DRAGOMAN_RUNTIME_TRAIN_EVENTFILE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {

/// CRC-32C (Castagnoli) of the bytes.
uint32_t crc32c(std::string_view bytes);

/// The form in which a record's checksum is stored.
uint32_t maskedCrc32c(std::string_view bytes);

/// One file "events.out.tfevents.SECONDS.HOST" that TensorBoard reads. A record
/// is complete on disk after each call, as far as the system goes.
class EventFile {
public:
  /// Makes the folder if it is missing, and a new file in it.
  static Result<std::unique_ptr<EventFile>> create(const std::string &folder);
  ~EventFile();
  EventFile(const EventFile &) = delete;
  EventFile &operator=(const EventFile &) = delete;

  /// Curves: one point of each tag.
  Status addScalars(int64_t step,
                    const std::vector<std::pair<std::string, double>> &values);
  /// A text, shown as Markdown.
  Status addText(int64_t step, const std::string &tag, const std::string &text);

  const std::string &path() const { return name; }

private:
  EventFile() = default;
  Status write(const std::string &record);

  std::string name;
  std::FILE *file = nullptr;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_EVENTFILE_H
