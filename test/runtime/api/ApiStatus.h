//===- ApiStatus.h - Expectations on dg_status ------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TEST_RUNTIME_API_APISTATUS_H
#define DRAGOMAN_TEST_RUNTIME_API_APISTATUS_H

#include "dragoman/dragoman.h"

#include "gtest/gtest.h"

#include <string>

namespace dragoman::testing_support {

/// Expects success and frees the status.
inline void ok(dg_status *status) {
  EXPECT_EQ(dg_status_code(status), DG_OK) << dg_status_message(status);
  dg_status_free(status);
}

/// Expects a failure of kind `code`, frees the status, returns its message.
inline std::string failure(dg_status *status, dg_code code) {
  EXPECT_EQ(dg_status_code(status), code) << dg_status_message(status);
  std::string text = dg_status_message(status);
  dg_status_free(status);
  return text;
}

} // namespace dragoman::testing_support

#endif // DRAGOMAN_TEST_RUNTIME_API_APISTATUS_H
