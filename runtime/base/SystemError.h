//===- SystemError.h - errno as a Status ------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_BASE_SYSTEMERROR_H
#define DRAGOMAN_RUNTIME_BASE_SYSTEMERROR_H

#include "runtime/base/Status.h"

#include <string>

namespace dragoman {

/// "WHAT: no such file or directory" from the current errno, at `place`:
/// NotFound for a missing file, OutOfMemory for lack of memory, InvalidData
/// otherwise.
Status systemError(const std::string &what, const std::string &place);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_BASE_SYSTEMERROR_H
