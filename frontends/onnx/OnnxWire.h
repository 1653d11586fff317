//===- OnnxWire.h - Where the bytes of tensors lie in an ONNX file --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_ONNXWIRE_H
#define DRAGOMAN_FRONTENDS_ONNX_ONNXWIRE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman::onnx {

/// Where the elements of one tensor lie: `raw` its raw_data, `floats` its
/// packed float_data if that came in one piece. Unset spans have no data
/// pointer.
struct TensorPlace {
  std::string_view raw;
  std::string_view floats;
};

/// The tensors of a model in the order in which the protobuf parser meets them.
struct TensorPlaces {
  std::vector<TensorPlace> initializers;
  /// By node and attribute; an attribute without tensor has an empty place.
  std::vector<std::vector<TensorPlace>> attributes;
};

/// Walks the wire format of a ModelProto without building anything, since the
/// parsed message no longer knows file offsets. An error names the offset of
/// the first field that cannot be read to its end.
Result<TensorPlaces> locateTensors(std::string_view file);

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_ONNXWIRE_H
