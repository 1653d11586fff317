//===- TrainingImage.h - What the runtime reads of training -----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_EMIT_TRAININGIMAGE_H
#define DRAGOMAN_COMPILER_EMIT_TRAININGIMAGE_H

#include "compiler/emit/ModelImage.h"
#include "compiler/emit/WeightWriter.h"
#include "dialects/plan/Parameters.h"

namespace dragoman {

/// States of training and recipes of the image's weights, for a module that
/// was made from one with `parameters`; and the image gets the weight of the
/// initial parameters, last. Fails with a diagnostic at a weight that follows
/// from parameters in another way than by rows.
mlir::FailureOr<TrainingDesc>
describeTraining(mlir::ModuleOp module, std::vector<ParameterDesc> parameters,
                 ModelImage &image);

/// Hands the initial parameters, flat, to the sink.
Status writeParameters(mlir::ModuleOp module,
                       const std::vector<ParameterDesc> &parameters,
                       WeightWriter &weights, const WeightWriter::Sink &sink);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_EMIT_TRAININGIMAGE_H
