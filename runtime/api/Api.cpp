//===- Api.cpp - Status, threads and models of the C interface --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/api/ApiSupport.h"

using namespace dragoman;
using namespace dragoman::api;

static_assert(int(DG_INTERNAL) == int(StatusCode::Internal));
static_assert(int(DG_RUNTIME_ERROR) == int(StatusCode::RuntimeError));
static_assert(int(DG_I1) == int(ElementType::I1));
static_assert(int(DG_I64) == int(ElementType::I64));

// Static, so that it needs no memory when there is none; never freed.
static dg_status *staticOutOfMemory() {
  static dg_status status{DG_OUT_OF_MEMORY, "out of memory"};
  return &status;
}

dg_status *api::outOfMemoryStatus() { return staticOutOfMemory(); }

dg_status *api::toStatus(const Status &status) {
  if (status.isOk())
    return nullptr;
  return new dg_status{static_cast<dg_code>(status.code()), status.toString()};
}

uint32_t dg_abi_version(void) { return DG_ABI_VERSION; }
const char *dg_version(void) { return DRAGOMAN_VERSION; }

dg_code dg_status_code(const dg_status *status) {
  return status ? status->code : DG_OK;
}
const char *dg_status_message(const dg_status *status) {
  return status ? status->text.c_str() : "";
}
void dg_status_free(dg_status *status) {
  if (status != staticOutOfMemory())
    delete status;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

dg_status *dg_pool_new(int threads, dg_pool **out) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(out, "out"));
    *out = nullptr;
    if (threads < 0 || threads > 4096)
      return Status(StatusCode::InvalidArgument,
                    "expected 0 to 4096 threads, found " +
                        std::to_string(threads));
    *out = new dg_pool{std::make_shared<ThreadPool>(threads)};
    return Status::ok();
  });
}
int dg_pool_workers(const dg_pool *pool) {
  return pool ? pool->pool->workers() : 1;
}
void dg_pool_free(dg_pool *pool) { delete pool; }

dg_status *dg_cancel_new(dg_cancel **out) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(out, "out"));
    *out = nullptr;
    *out = new dg_cancel;
    return Status::ok();
  });
}
void dg_cancel_request(dg_cancel *cancel) {
  if (cancel)
    cancel->flag.store(true, std::memory_order_relaxed);
}
void dg_cancel_reset(dg_cancel *cancel) {
  if (cancel)
    cancel->flag.store(false, std::memory_order_relaxed);
}
void dg_cancel_free(dg_cancel *cancel) { delete cancel; }

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

dg_status *dg_model_open(const char *path, const dg_model_options *options,
                         dg_model **out) {
  return guarded([&]() -> Status {
    DRAGOMAN_RETURN_IF_ERROR(needs(out, "out"));
    *out = nullptr;
    DRAGOMAN_RETURN_IF_ERROR(needs(path, "path"));
    LoadOptions load;
    if (const char *level = DG_OPTION(options, level, nullptr))
      load.level = level;
    load.copyWeights = DG_OPTION(options, copy_weights, 0) != 0;
    load.verifyWeights = DG_OPTION(options, verify_weights, 0) != 0;
    Result<std::shared_ptr<const Model>> model = Model::load(path, load);
    if (!model)
      return model.status();
    *out = makeModel(std::move(*model));
    return Status::ok();
  });
}

void dg_model_free(dg_model *model) { delete model; }

const char *dg_model_level(const dg_model *model) {
  return model ? model->model->level().c_str() : "";
}

size_t dg_model_entry_count(const dg_model *model) {
  return model ? model->model->manifest().entries.size() : 0;
}
const char *dg_model_entry_name(const dg_model *model, size_t index) {
  return index < dg_model_entry_count(model)
             ? model->model->manifest().entries[index].c_str()
             : nullptr;
}

size_t dg_model_state_dim_count(const dg_model *model) {
  return model ? model->model->stateDims().size() : 0;
}
const char *dg_model_state_dim_name(const dg_model *model, size_t index) {
  return index < dg_model_state_dim_count(model)
             ? model->model->stateDims()[index].c_str()
             : nullptr;
}

/// The entry's tensors of one side, or null.
static const std::vector<dg_model::Tensor> *
tensorsOf(const dg_model *model, const char *entry, dg_side side) {
  if (!model || !entry)
    return nullptr;
  auto it = model->tensors.find({entry, side == DG_OUTPUT});
  return it == model->tensors.end() ? nullptr : &it->second;
}

size_t dg_model_tensor_count(const dg_model *model, const char *entry,
                             dg_side side) {
  const auto *tensors = tensorsOf(model, entry, side);
  return tensors ? tensors->size() : 0;
}

dg_status *dg_model_tensor(const dg_model *model, const char *entry,
                           dg_side side, size_t index, const char **name,
                           dg_type *type, size_t *rank,
                           const char *const **extents) {
  return guarded([&]() -> Status {
    const auto *tensors = tensorsOf(model, entry, side);
    if (!tensors)
      return Status(StatusCode::NotFound,
                    std::string("expected an entry's name, found '") +
                        (entry ? entry : "NULL") + "'");
    if (index >= tensors->size())
      return Status(StatusCode::InvalidArgument,
                    "expected a tensor's number below " +
                        std::to_string(tensors->size()) + ", found " +
                        std::to_string(index));
    const dg_model::Tensor &tensor = (*tensors)[index];
    if (name)
      *name = tensor.desc->name.c_str();
    if (type)
      *type = static_cast<dg_type>(tensor.desc->type);
    if (rank)
      *rank = tensor.desc->shape.size();
    if (extents)
      *extents = tensor.extents.data();
    return Status::ok();
  });
}

dg_model *api::makeModel(std::shared_ptr<const Model> loaded) {
  auto handle = std::make_unique<dg_model>();
  handle->model = std::move(loaded);
  for (const std::string &entry : handle->model->manifest().entries) {
    const EntryTable *table = handle->model->entry(entry);
    for (bool isOutput : {false, true}) {
      auto &list = handle->tensors[{entry, isOutput}];
      for (const TensorDesc &desc : isOutput ? table->outputs : table->inputs) {
        dg_model::Tensor tensor{&desc, {}};
        for (const DimExpr &extent : desc.shape)
          tensor.extents.push_back(
              handle->texts.insert(extent.str()).first->c_str());
        list.push_back(std::move(tensor));
      }
    }
  }
  return handle.release();
}
