//===- OpSupport.cpp - Shared checks of the xf verifiers -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/ops/OpSupport.h"

#include "llvm/ADT/StringExtras.h"

std::string dragoman::xf::shapeText(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(llvm::map_range(shape,
                                    [](int64_t size) {
                                      return mlir::ShapedType::isDynamic(size)
                                                 ? std::string("?")
                                                 : std::to_string(size);
                                    }),
                    "x");
}
