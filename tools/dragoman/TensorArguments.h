//===- TensorArguments.h - Tensors on the command line ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NAME=VALUE, where VALUE is one of
//   @FILE.npy            the file's array
//   2x3xf32=1,2,3,4,5,6  the elements, or one for all of them
//   2x3xf32=@FILE.npy    the file's array, which must have this type and shape
//   2x3xf32=random:SEED  normal numbers, or integers from 0 to 9
//   random:SEED          the same, for an input whose shape is fixed
// A scalar's shape is its type alone: f32=1.5.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRAGOMAN_TENSORARGUMENTS_H
#define DRAGOMAN_TOOLS_DRAGOMAN_TENSORARGUMENTS_H

#include "runtime/artifact/CommandTable.h"
#include "runtime/artifact/Npy.h"
#include "runtime/base/Status.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// "NAME=VALUE" in two.
Result<std::pair<std::string, std::string>>
splitArgument(const std::string &argument);

/// The tensor that VALUE describes, for the input `wanted`.
Result<NpyArray> parseTensor(const std::string &value,
                             const TensorDesc &wanted);

/// "f32[2,3]"; a dynamic extent shows its name.
std::string describe(const TensorDesc &tensor);
std::string describe(ElementType type, const std::vector<int64_t> &shape);

/// "2x3xf32 = 1 2 3 4 5 6", at most `most` elements.
std::string formatTensor(const NpyArray &tensor, int64_t most);

/// Compares element by element: |found - expected| <= atol + rtol * |expected|;
/// integers must be equal, and a NaN equals nothing. A difference is an error
/// that counts the elements and shows the largest.
Status compareTensors(const NpyArray &found, const NpyArray &expected,
                      double rtol, double atol);

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRAGOMAN_TENSORARGUMENTS_H
