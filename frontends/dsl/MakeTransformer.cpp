//===- MakeTransformer.cpp - Fills an empty module with a Transformer -----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"
#include "frontends/dsl/Passes.h"
#include "frontends/dsl/models/Transformer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman::dsl {
#define GEN_PASS_DEF_MAKETRANSFORMERPASS
#include "frontends/dsl/Passes.h.inc"
} // namespace dragoman::dsl

using namespace dragoman;

namespace {

struct MakeTransformerPass
    : dsl::impl::MakeTransformerPassBase<MakeTransformerPass> {
  using MakeTransformerPassBase::MakeTransformerPassBase;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<xf::XfDialect, plan::PlanDialect, mlir::arith::ArithDialect,
                    mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                    mlir::math::MathDialect, mlir::tensor::TensorDialect>();
  }

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    if (!module.getBody()->empty()) {
      module.emitError("expected an empty module");
      return signalPassFailure();
    }
    if (heads < 1 || dModel % heads != 0) {
      module.emitError("expected heads (")
          << heads.getValue() << ") to divide d-model (" << dModel.getValue()
          << ")";
      return signalPassFailure();
    }
    dsl::TransformerConfig config;
    config.vocab = vocab;
    config.dModel = dModel;
    config.heads = heads;
    config.ffn = ffn;
    config.encoderLayers = encoderLayers;
    config.decoderLayers = decoderLayers;
    config.maxPositions = maxPositions;
    config.activation = activation;
    config.norm = preNorm ? dsl::NormPlace::Pre : dsl::NormPlace::Post;
    config.tie = tied ? dsl::Tie::All : dsl::Tie::None;
    config.biases = config.outputBias = biases;
    config.training = training;
    config.seed = seed;
    config.learnedPositions = learnedPositions;
    config.dropout = dropout;
    config.attentionDropout = attentionDropout;
    config.activationDropout = activationDropout;
    config.labelSmoothing = labelSmoothing;
    config.pad = pad;
    config.start = start;
    config.end = end;
    auto model = dsl::makeTransformer(getContext(), config);
    module.getBodyRegion().takeBody(model->getBodyRegion());
  }
};

} // namespace
