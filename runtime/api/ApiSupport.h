//===- ApiSupport.h - Common parts of the C interface -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to runtime/api. Nothing throws out of the C functions: their bodies
// run inside guarded().
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_API_APISUPPORT_H
#define DRAGOMAN_RUNTIME_API_APISUPPORT_H

#include "runtime/api/dragoman/dragoman.h"

#include "runtime/base/Status.h"
#include "runtime/execute/Session.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

struct dg_status {
  dg_code code;
  std::string text;
};

struct dg_pool {
  std::shared_ptr<dragoman::ThreadPool> pool;
};

struct dg_cancel {
  std::atomic<bool> flag{false};
};

struct dg_model {
  struct Tensor {
    const dragoman::TensorDesc *desc;
    std::vector<const char *> extents; ///< point into `texts`
  };
  std::shared_ptr<const dragoman::Model> model;
  /// By entry, and true for outputs.
  std::map<std::pair<std::string, bool>, std::vector<Tensor>> tensors;
  std::set<std::string> texts;
};

struct dg_session {
  std::shared_ptr<dragoman::ThreadPool> pool; ///< outlives the session
  std::shared_ptr<const dragoman::Model> model;
  std::unique_ptr<dragoman::Session> session;
};

namespace dragoman::api {

/// NULL for Ok.
dg_status *toStatus(const Status &status);
/// For when not even a status can be allocated.
dg_status *outOfMemoryStatus();

/// A handle of a loaded model.
dg_model *makeModel(std::shared_ptr<const Model> loaded);

/// Runs `body`, which returns a Status; exceptions become one, too.
template <typename Body> dg_status *guarded(Body body) {
  try {
    return toStatus(body());
  } catch (const std::bad_alloc &) {
    return outOfMemoryStatus();
  } catch (const std::exception &error) {
    return toStatus(Status(StatusCode::Internal, error.what()));
  }
}

/// InvalidArgument naming the argument, if `pointer` is null.
inline Status needs(const void *pointer, const char *name) {
  if (pointer)
    return Status::ok();
  return Status(StatusCode::InvalidArgument,
                std::string("expected '") + name + "', found NULL");
}

/// A member of a caller's options struct, or `otherwise` if the caller's struct
/// is older and shorter, or null.
#define DG_OPTION(options, member, otherwise)                                  \
  ((options) && (options)->size >=                                             \
                    offsetof(std::decay_t<decltype(*(options))>, member) +     \
                        sizeof((options)->member)                              \
       ? (options)->member                                                     \
       : (otherwise))

} // namespace dragoman::api

#endif // DRAGOMAN_RUNTIME_API_APISUPPORT_H
