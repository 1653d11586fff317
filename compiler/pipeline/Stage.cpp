//===- Stage.cpp - The stages of the compiler -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/pipeline/Stage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace dragoman;

static constexpr Stage stages[] = {Stage::Import,   Stage::Graph,
                                   Stage::Autodiff, Stage::Fusion,
                                   Stage::Tiling,   Stage::Lowering};

llvm::ArrayRef<Stage> dragoman::allStages() { return stages; }

llvm::StringRef dragoman::stageName(Stage stage) {
  static constexpr llvm::StringLiteral names[] = {
      "import", "graph", "autodiff", "fusion", "tiling", "lowering"};
  return names[static_cast<size_t>(stage)];
}

std::optional<Stage> dragoman::parseStage(llvm::StringRef name) {
  for (Stage stage : stages)
    if (stageName(stage) == name)
      return stage;
  return std::nullopt;
}

std::string dragoman::stageNames() {
  return llvm::join(llvm::map_range(stages, stageName), ", ");
}
