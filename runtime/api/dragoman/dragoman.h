/*===- dragoman.h - The C interface of the runtime ----------------*- C -*-===*\
|*                                                                            *|
|* Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.      *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Loads compiled models (.dgm) and runs their entries. Handles are opaque;   *|
|* every function that can fail returns a dg_status, NULL meaning success, to *|
|* be freed by the caller. Results go to `out` parameters, which are set to   *|
|* NULL first. Strings are UTF-8 and end in NUL.                              *|
|*                                                                            *|
|* Threads: models and pools may be used from any number of threads at once.  *|
|* A session runs one entry at a time; a second call meanwhile is refused.    *|
|* The library keeps no global state that a caller could notice.              *|
|*                                                                            *|
|* Loading a model is running a program: open only files you trust.           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef DRAGOMAN_DRAGOMAN_H
#define DRAGOMAN_DRAGOMAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DG_API __attribute__((visibility("default")))
#else
#define DG_API
#endif

/** Raised whenever a program built against an older header could break. */
#define DG_ABI_VERSION 1

/** The ABI number of the library that is loaded. */
DG_API uint32_t dg_abi_version(void);
/** The release, "0.1.0". */
DG_API const char *dg_version(void);

/*===-- Status --------------------------------------------------------------===*/

typedef struct dg_status dg_status;

typedef int32_t dg_code;
enum {
  DG_OK = 0,
  DG_INVALID_ARGUMENT = 1, /**< the caller asked for what cannot be */
  DG_INVALID_DATA = 2,     /**< a file or tensor is damaged or inconsistent */
  DG_NOT_FOUND = 3,        /**< a file, an entry or a name does not exist */
  DG_UNSUPPORTED = 4,      /**< well-formed, but this build cannot do it */
  DG_OUT_OF_MEMORY = 5,    /**< beyond the limit, or allocation failed */
  DG_RUNTIME_ERROR = 6,    /**< a check inside the model failed */
  DG_CANCELLED = 7,        /**< the cancel flag was seen */
  DG_INTERNAL = 8          /**< a fault of the library */
};

/** DG_OK for NULL. */
DG_API dg_code dg_status_code(const dg_status *status);
/** "PLACE: MESSAGE", alive as long as the status; "" for NULL. */
DG_API const char *dg_status_message(const dg_status *status);
/** NULL is allowed. */
DG_API void dg_status_free(dg_status *status);

/*===-- Threads -------------------------------------------------------------===*/

typedef struct dg_pool dg_pool;

/** `threads` counts the calling thread; 0 means as many as the affinity mask
 *  allows. The pool lives until it and every session on it are freed. */
DG_API dg_status *dg_pool_new(int threads, dg_pool **out);
DG_API int dg_pool_workers(const dg_pool *pool);
DG_API void dg_pool_free(dg_pool *pool);

/** A flag that another thread raises to end a run early. */
typedef struct dg_cancel dg_cancel;

DG_API dg_status *dg_cancel_new(dg_cancel **out);
DG_API void dg_cancel_request(dg_cancel *cancel);
DG_API void dg_cancel_reset(dg_cancel *cancel);
DG_API void dg_cancel_free(dg_cancel *cancel);

/*===-- Models --------------------------------------------------------------===*/

typedef struct dg_model dg_model;

typedef struct dg_model_options {
  size_t size;        /**< sizeof(dg_model_options) */
  const char *level;  /**< "x86-64-v3", ...; NULL = the best the CPU has */
  int copy_weights;   /**< nonzero: copy weights into memory of their own */
  int verify_weights; /**< nonzero: recompute the weights' checksums */
} dg_model_options;

/** `options` may be NULL. */
DG_API dg_status *dg_model_open(const char *path,
                                const dg_model_options *options,
                                dg_model **out);
/** Sessions of the model stay valid. */
DG_API void dg_model_free(dg_model *model);
/** The code level in use. */
DG_API const char *dg_model_level(const dg_model *model);
DG_API size_t dg_model_entry_count(const dg_model *model);
/** NULL if there is no such entry. */
DG_API const char *dg_model_entry_name(const dg_model *model, size_t index);
/** Dimensions that dg_session_reserve needs, sorted. */
DG_API size_t dg_model_state_dim_count(const dg_model *model);
DG_API const char *dg_model_state_dim_name(const dg_model *model, size_t index);

/** Values are fixed. */
typedef int32_t dg_type;
enum {
  DG_F32 = 0,
  DG_F64 = 1,
  DG_F16 = 2,
  DG_BF16 = 3,
  DG_I64 = 4,
  DG_I32 = 5,
  DG_I8 = 6,
  DG_U8 = 7,
  DG_I1 = 8 /**< one byte, 0 or 1 */
};

typedef int32_t dg_side;
enum { DG_INPUT = 0, DG_OUTPUT = 1 };

DG_API size_t dg_model_tensor_count(const dg_model *model, const char *entry,
                                    dg_side side);
/** Name and type of a tensor, and the texts of its extents ("B", "S", "512"),
 *  all alive as long as the model. Any of the out parameters may be NULL. */
DG_API dg_status *dg_model_tensor(const dg_model *model, const char *entry,
                                  dg_side side, size_t index,
                                  const char **name, dg_type *type,
                                  size_t *rank, const char *const **extents);

/*===-- Sessions ------------------------------------------------------------===*/

typedef struct dg_session dg_session;

typedef struct dg_session_options {
  size_t size;           /**< sizeof(dg_session_options) */
  dg_pool *pool;         /**< NULL = the calling thread alone */
  uint64_t memory_limit; /**< most bytes the session allocates; 0 = no limit */
} dg_session_options;

/** A named dimension. */
typedef struct dg_dim {
  const char *name;
  int64_t value;
} dg_dim;

/** A dense row-major tensor of the caller's. */
typedef struct dg_tensor {
  const char *name;
  dg_type type;
  size_t rank;
  const int64_t *shape;
  void *data; /**< only read for inputs */
} dg_tensor;

/** `options` may be NULL. */
DG_API dg_status *dg_session_new(dg_model *model,
                                 const dg_session_options *options,
                                 dg_session **out);
DG_API void dg_session_free(dg_session *session);

/** Sets the dimensions of all states and allocates them. States whose
 *  dimensions change lose their contents. A refusal changes nothing. */
DG_API dg_status *dg_session_reserve(dg_session *session, const dg_dim *dims,
                                     size_t count);

/** Bytes a session needs to run `entry` with `dims` (all dimensions of the
 *  entry and of the states) on `workers` threads. */
DG_API dg_status *dg_model_memory_needed(const dg_model *model,
                                         const char *entry, const dg_dim *dims,
                                         size_t count, int workers,
                                         uint64_t *out);

/** The shape that dg_run expects of an output for these inputs; an extent that
 *  they do not decide is -1. `rank` says how many extents `shape` has room for,
 *  and is set to how many there are. */
DG_API dg_status *dg_session_output_shape(dg_session *session,
                                          const char *entry,
                                          const dg_tensor *inputs,
                                          size_t input_count,
                                          const char *output, int64_t *shape,
                                          size_t *rank);

/** Runs an entry. Tensors are matched by name, in any order; all of the entry's
 *  must be there. What does not fit is refused before anything changes. `cancel`
 *  may be NULL. */
DG_API dg_status *dg_run(dg_session *session, const char *entry,
                         const dg_tensor *inputs, size_t input_count,
                         const dg_tensor *outputs, size_t output_count,
                         const dg_cancel *cancel);

/*===-- Translators ---------------------------------------------------------===*/

typedef struct dg_translator dg_translator;

typedef struct dg_translator_options {
  size_t size;           /**< sizeof(dg_translator_options) */
  dg_pool *pool;         /**< NULL = the calling thread alone */
  uint64_t memory_limit; /**< most bytes beside the weights; 0 = no limit */
  /** Generation settings as a JSON object, named as in generation_config.json,
   *  e.g. {"num_beams": 4, "num_return_sequences": 2}; NULL = the model's. */
  const char *settings;
  /** Nonzero: a line longer than the model takes fails instead of being cut. */
  int fail_on_long;
} dg_translator_options;

/** `options` may be NULL. Translators of one model share its weights; each has
 *  caches of its own and does one job at a time. */
DG_API dg_status *dg_translator_new(dg_model *model,
                                    const dg_translator_options *options,
                                    dg_translator **out);
DG_API void dg_translator_free(dg_translator *translator);

/** The answers to the lines of one job. */
typedef struct dg_translations dg_translations;

/** Translates `count` lines. A line may not be NULL; line ends in it count as
 *  spaces, invalid bytes become U+FFFD. A line that fails has an error of its
 *  own and harms no other; the status is about the job as a whole. */
DG_API dg_status *dg_translate(dg_translator *translator,
                               const char *const *lines, size_t count,
                               const dg_cancel *cancel, dg_translations **out);
DG_API void dg_translations_free(dg_translations *translations);

/** As many as there were lines. */
DG_API size_t dg_translations_count(const dg_translations *translations);
/** The best translation of a line; "" for a blank one or after a failure. */
DG_API const char *dg_translations_text(const dg_translations *translations,
                                        size_t line);
/** Why a line has no translation, or NULL. */
DG_API const char *dg_translations_error(const dg_translations *translations,
                                         size_t line);
/** Hypotheses of a line, best first: num_return_sequences of them at most. */
DG_API size_t dg_translations_hypotheses(const dg_translations *translations,
                                         size_t line);
/** Text and score of one of them. NULL and NaN beyond the last. */
DG_API const char *
dg_translations_hypothesis_text(const dg_translations *translations,
                                size_t line, size_t hypothesis);
DG_API float
dg_translations_hypothesis_score(const dg_translations *translations,
                                 size_t line, size_t hypothesis);
/** Warnings about lines (cut, repaired), in order. */
DG_API size_t dg_translations_warnings(const dg_translations *translations);
DG_API const char *dg_translations_warning(const dg_translations *translations,
                                           size_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DRAGOMAN_DRAGOMAN_H */
