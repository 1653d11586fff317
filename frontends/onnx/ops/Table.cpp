//===- Table.cpp - The operators that can be imported -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/ops/Table.h"

#include <unordered_map>

using namespace dragoman;
using namespace dragoman::onnx;

Converter onnx::findConverter(const Node &node) {
  static const std::unordered_map<std::string_view, Converter> table = {
#define ONNX_OP(Name) {#Name, import##Name},
#include "frontends/onnx/ops/Ops.def"
  };
  if (!node.domain.empty())
    return nullptr;
  auto found = table.find(node.opType);
  return found == table.end() ? nullptr : found->second;
}
