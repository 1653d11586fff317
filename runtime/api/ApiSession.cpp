//===- ApiSession.cpp - Sessions of the C interface -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiSupport.h"

#include <algorithm>

using namespace dragoman;
using namespace dragoman::api;

dg_status *dg_session_new(dg_model *model, const dg_session_options *options,
                          dg_session **out) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(out, "out"));
    *out = nullptr;
    DRAGOMAN_RETURN_IF_ERROR(needs(model, "model"));
    auto handle = std::make_unique<dg_session>();
    SessionOptions session;
    if (dg_pool *pool = DG_OPTION(options, pool, nullptr)) {
      handle->pool = pool->pool;
      session.pool = handle->pool.get();
    }
    session.memoryLimitBytes = DG_OPTION(options, memory_limit, 0);
    handle->model = model->model;
    handle->session = std::make_unique<Session>(model->model, session);
    *out = handle.release();
    return Status::ok();
  });
}

void dg_session_free(dg_session *session) { delete session; }

static Result<DimMap> toDims(const dg_dim *dims, size_t count) {
  DimMap map;
  for (size_t i = 0; i < count; ++i) {
    DRAGOMAN_RETURN_IF_ERROR(needs(dims, "dims"));
    DRAGOMAN_RETURN_IF_ERROR(needs(dims[i].name, "name of a dimension"));
    if (!map.emplace(dims[i].name, dims[i].value).second)
      return Status(StatusCode::InvalidArgument,
                    std::string("expected every dimension once, found '") +
                        dims[i].name + "' twice");
  }
  return map;
}

dg_status *dg_session_reserve(dg_session *session, const dg_dim *dims,
                              size_t count) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(session, "session"));
    Result<DimMap> map = toDims(dims, count);
    if (!map)
      return map.status();
    return session->session->reserve(*map);
  });
}

dg_status *dg_model_memory_needed(const dg_model *model, const char *entry,
                                  const dg_dim *dims, size_t count, int workers,
                                  uint64_t *out) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(out, "out"));
    *out = 0;
    DRAGOMAN_RETURN_IF_ERROR(needs(model, "model"));
    DRAGOMAN_RETURN_IF_ERROR(needs(entry, "entry"));
    Result<DimMap> map = toDims(dims, count);
    if (!map)
      return map.status();
    std::string entries[] = {entry};
    Result<uint64_t> bytes =
        model->model->memoryNeeded(entries, *map, std::max(workers, 1));
    if (!bytes)
      return bytes.status();
    *out = *bytes;
    return Status::ok();
  });
}

/// The entry's tensors in its order, out of the caller's in any order.
static Result<std::vector<TensorView>>
inOrder(const std::vector<TensorDesc> &descs, const dg_tensor *tensors,
        size_t count, const char *kind) {
  auto indexOf = [&](const char *name) {
    return std::find_if(descs.begin(), descs.end(),
                        [&](const TensorDesc &d) { return d.name == name; }) -
           descs.begin();
  };
  std::vector<TensorView> views(descs.size());
  std::vector<bool> found(descs.size());
  for (size_t i = 0; i < count; ++i) {
    DRAGOMAN_RETURN_IF_ERROR(needs(tensors, "tensors"));
    const dg_tensor &tensor = tensors[i];
    DRAGOMAN_RETURN_IF_ERROR(needs(tensor.name, "name of a tensor"));
    std::string name = std::string(kind) + " '" + tensor.name + "'";
    size_t index = indexOf(tensor.name);
    if (index == descs.size() || found[index])
      return Status(StatusCode::InvalidArgument,
                    index == descs.size() ? "the entry has no " + name
                                          : name + " is given twice");
    if (tensor.rank > 0)
      DRAGOMAN_RETURN_IF_ERROR(needs(tensor.shape, "shape").at(name));
    if (tensor.type < DG_F32 || tensor.type > DG_I1)
      return Status(StatusCode::InvalidArgument,
                    "expected an element type, found " +
                        std::to_string(tensor.type),
                    name);
    found[index] = true;
    views[index] = {
        tensor.data, static_cast<ElementType>(tensor.type),
        std::vector<int64_t>(tensor.shape, tensor.shape + tensor.rank)};
  }
  for (size_t i = 0; i < descs.size(); ++i)
    if (!found[i])
      return Status(StatusCode::InvalidArgument,
                    std::string("expected ") + kind + " '" + descs[i].name +
                        "', found none");
  return views;
}

/// The table of an entry; `entry` may be null.
static Result<const EntryTable *> tableOf(const dg_session *session,
                                          const char *entry) {
  DRAGOMAN_RETURN_IF_ERROR(needs(session, "session"));
  DRAGOMAN_RETURN_IF_ERROR(needs(entry, "entry"));
  if (const EntryTable *table = session->model->entry(entry))
    return table;
  return Status(StatusCode::NotFound,
                std::string("the model has no entry '") + entry + "'",
                session->model->name());
}

dg_status *dg_session_output_shape(dg_session *session, const char *entry,
                                   const dg_tensor *inputs, size_t input_count,
                                   const char *output, int64_t *shape,
                                   size_t *rank) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(output, "output"));
    DRAGOMAN_RETURN_IF_ERROR(needs(rank, "rank"));
    Result<const EntryTable *> table = tableOf(session, entry);
    if (!table)
      return table.status();
    auto views = inOrder((*table)->inputs, inputs, input_count, "input");
    if (!views)
      return views.status();
    auto shapes = session->session->outputShapes(entry, *views);
    if (!shapes)
      return shapes.status();
    for (size_t i = 0; i < shapes->size(); ++i) {
      if ((*table)->outputs[i].name != output)
        continue;
      const std::vector<int64_t> &extents = (*shapes)[i];
      size_t room = *rank;
      *rank = extents.size();
      if (room < extents.size())
        return Status(StatusCode::InvalidArgument,
                      "expected room for " + std::to_string(extents.size()) +
                          " extents, found " + std::to_string(room));
      if (!extents.empty())
        DRAGOMAN_RETURN_IF_ERROR(needs(shape, "shape"));
      std::copy(extents.begin(), extents.end(), shape);
      return Status::ok();
    }
    return Status(StatusCode::NotFound,
                  std::string("the entry has no output '") + output + "'");
  });
}

dg_status *dg_run(dg_session *session, const char *entry,
                  const dg_tensor *inputs, size_t input_count,
                  const dg_tensor *outputs, size_t output_count,
                  const dg_cancel *cancel) {
  return guarded([&]() -> Status {
    Result<const EntryTable *> table = tableOf(session, entry);
    if (!table)
      return table.status();
    std::string place = "entry '" + (*table)->name + "'";
    auto in = inOrder((*table)->inputs, inputs, input_count, "input");
    if (!in)
      return in.status().at(place);
    auto out = inOrder((*table)->outputs, outputs, output_count, "output");
    if (!out)
      return out.status().at(place);
    return session->session->run(entry, *in, *out,
                                 cancel ? &cancel->flag : nullptr);
  });
}
