//===- Parameters.cpp - The parameters of a module ------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/plan/Parameters.h"

#include "dialects/plan/Plan.h"

using namespace dragoman;

std::vector<ParameterDesc> dragoman::listParameters(mlir::ModuleOp module) {
  std::vector<ParameterDesc> parameters;
  int64_t offset = 0;
  for (bool decay : {true, false})
    for (auto weight : module.getOps<plan::WeightOp>()) {
      if (!weight.getTrainable() || weight.getDecay() != decay)
        continue;
      auto type = llvm::cast<mlir::RankedTensorType>(weight.getType());
      parameters.push_back(
          {weight.getSymName().str(), type.getShape().vec(), offset, decay});
      offset += type.getNumElements();
    }
  return parameters;
}
