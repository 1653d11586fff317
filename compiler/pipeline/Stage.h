//===- Stage.h - The stages of the compiler -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The stage words are at once the enum, the values of --stop-after and
// --start-from, the suffixes of dumps and the names of folders.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_PIPELINE_STAGE_H
#define DRAGOMAN_COMPILER_PIPELINE_STAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace dragoman {

enum class Stage {
  Import,   ///< functions as frontends make them
  Graph,    ///< attention, norms and linear layers recognised
  Autodiff, ///< the training entries stand beside the loss
  Fusion,   ///< entries dispatch kernels
  Tiling,   ///< kernels have schedules and layouts and are unique
  Lowering, ///< entries are commands on places in memory
};

/// "import", "graph", "autodiff", "fusion", "tiling", "lowering".
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);
/// In order.
llvm::ArrayRef<Stage> allStages();
/// "import, graph, ...", for messages.
std::string stageNames();

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_PIPELINE_STAGE_H
