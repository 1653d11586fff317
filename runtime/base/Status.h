//===- Status.h - Error values of the runtime -------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every fallible runtime function returns `Status` or `Result<T>`. Messages
// follow the project's form: lower-case start, no final period, expected and
// found, with names and numbers; `place` says where ("model.onnx:node 12",
// "vocab.json", "line 4"). Nothing throws across a library border.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_BASE_STATUS_H
#define DRAGOMAN_RUNTIME_BASE_STATUS_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace dragoman {

/// What kind of failure a Status reports. Tools map InvalidArgument to exit
/// code 2 (usage) and every other failure to 1 (data or model).
enum class StatusCode {
  Ok = 0,
  InvalidArgument, ///< the caller asked for something that cannot be
  InvalidData,     ///< a file or a tensor is damaged or inconsistent
  NotFound,        ///< a file, an entry or a name does not exist
  Unsupported,     ///< well-formed, but outside what this build can do
  OutOfMemory,     ///< the peak formula exceeds the limit, or allocation failed
  RuntimeError,    ///< a check inside compiled code failed
  Cancelled,       ///< the cancel flag was seen
  Internal,        ///< a fault of ours
};

/// A code, a message and the place it is about. Cheap when Ok.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message, std::string place = {})
      : statusCode(code), text(std::move(message)), where(std::move(place)) {
    assert(code != StatusCode::Ok && "an error needs an error code");
  }

  static Status ok() { return Status(); }

  bool isOk() const { return statusCode == StatusCode::Ok; }
  explicit operator bool() const { return isOk(); }
  StatusCode code() const { return statusCode; }
  const std::string &message() const { return text; }
  const std::string &place() const { return where; }

  /// "PLACE: MESSAGE", or the message alone when no place is known.
  std::string toString() const {
    return where.empty() ? text : where + ": " + text;
  }

  /// The same failure, seen from further out: "OUTER: PLACE" becomes the place.
  Status at(const std::string &outer) const {
    if (isOk())
      return *this;
    return Status(statusCode, text,
                  where.empty() ? outer : outer + ": " + where);
  }

private:
  StatusCode statusCode = StatusCode::Ok;
  std::string text;
  std::string where;
};

/// A value or the Status that explains its absence.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : stored(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) {
    assert(!failure.isOk() && "a Result without value needs an error");
  }

  bool isOk() const { return stored.has_value(); }
  explicit operator bool() const { return isOk(); }
  const Status &status() const { return failure; }

  T &operator*() { return *stored; }
  const T &operator*() const { return *stored; }
  T *operator->() { return &*stored; }
  const T *operator->() const { return &*stored; }

private:
  std::optional<T> stored;
  Status failure;
};

/// Returns from the enclosing function when `expr` (a Status) failed.
#define DRAGOMAN_RETURN_IF_ERROR(expr)                                         \
  do {                                                                         \
    if (::dragoman::Status dragomanStatus = (expr); !dragomanStatus.isOk())    \
      return dragomanStatus;                                                   \
  } while (false)

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_BASE_STATUS_H
