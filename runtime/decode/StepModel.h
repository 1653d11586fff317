//===- StepModel.h - A translation model, one step at a time ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the decode loop needs of a model: the four entries of a compiled
// translator (encode and prepare come together), in the loop's own terms.
//
// Letters: B sentences of a sub-batch, S source length, R live rows, K keys,
// E edits, V vocabulary. All arrays are dense and row-major.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_STEPMODEL_H
#define DRAGOMAN_RUNTIME_DECODE_STEPMODEL_H

#include "runtime/base/Status.h"
#include "runtime/decode/GenerationSettings.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Sizes of the caches: target cells per row and source cells per sentence.
struct CacheShape {
  int64_t rows = 0;
  int64_t capacity = 0; ///< multiple of 16
  int64_t sourceRows = 0;
  int64_t sourceCapacity = 0; ///< multiple of 16
  bool operator==(const CacheShape &) const = default;
};

/// The largest runs of a job, for the peak formula.
struct WorkShape {
  CacheShape cache;
  int64_t encodeSentences = 0;
  int64_t encodeLength = 0;
};

/// Sentences to encode into rows of the cross caches.
struct EncodeBatch {
  int64_t sentences = 0;           ///< B
  int64_t length = 0;              ///< S, padding included
  std::vector<int64_t> ids;        ///< [B,S], padded on the right
  std::vector<int64_t> lengths;    ///< [B], without padding
  std::vector<int32_t> sourceRows; ///< [B], cache row of each sentence
};

/// One token for each live row.
struct DecodeBatch {
  int64_t rows = 0;                  ///< R
  int64_t keys = 0;                  ///< K > every position
  std::vector<int64_t> ids;          ///< [R], the token to feed
  std::vector<int64_t> positions;    ///< [R], tokens already in the cache
  std::vector<int32_t> writeRows;    ///< [R], cache row of the new cell
  std::vector<int32_t> cellRows;     ///< [R,K], cache row of every key
  std::vector<int32_t> sourceRows;   ///< [R]
  std::vector<int64_t> sourceLength; ///< [R], without padding
};

/// How to take candidates from the logits of the last decode.
struct SelectBatch {
  int64_t count = 0;              ///< best candidates per row, <= selectWidth
  int64_t normalize = 0;          ///< bit 0 before the edits, bit 1 after
  int64_t edits = 0;              ///< E
  std::vector<int32_t> editIds;   ///< [R,E]
  std::vector<int32_t> editKinds; ///< [R,E], values of EditKind
  std::vector<float> editValues;  ///< [R,E]
};

struct SelectOutput {
  std::vector<float> values;    ///< [R,selectWidth], best first, then -inf
  std::vector<int32_t> ids;     ///< [R,selectWidth], -1 behind the last
  std::vector<float> logSumExp; ///< [R], of the edited row
};

/// A model with its caches; one job at a time. A failed call leaves the caches
/// of the rows it did not name as they were.
class StepModel {
public:
  virtual ~StepModel() = default;

  virtual const ModelLimits &limits() const = 0;

  /// Bytes that a job of this shape needs beside the weights.
  virtual Result<int64_t> peakBytes(const WorkShape &shape) const = 0;

  /// Makes caches of this shape. Their contents are lost.
  virtual Status reserve(const CacheShape &shape) = 0;
  /// Encodes and fills the cross caches.
  virtual Status encode(const EncodeBatch &batch) = 0;
  /// Appends one cell per row and computes the logits [R,V].
  virtual Status decode(const DecodeBatch &batch) = 0;
  /// Candidates from the logits of the last decode.
  virtual Status select(const SelectBatch &batch, SelectOutput &output) = 0;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_STEPMODEL_H
