//===- SystemError.cpp - errno as a Status --------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/base/SystemError.h"

#include <cerrno>
#include <system_error>

namespace dragoman {

Status systemError(const std::string &what, const std::string &place) {
  const int number = errno;
  StatusCode code = StatusCode::InvalidData;
  if (number == ENOENT || number == ENOTDIR)
    code = StatusCode::NotFound;
  else if (number == ENOMEM)
    code = StatusCode::OutOfMemory;
  std::string reason = std::generic_category().message(number);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z')
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  return Status(code, what + ": " + reason, place);
}

} // namespace dragoman
