//===- AbsorbTransposes.cpp - Transposes around attention become layouts --===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/graph/Passes.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace dragoman {
#define GEN_PASS_DEF_XFABSORBTRANSPOSES
#include "compiler/graph/Passes.h.inc"
} // namespace dragoman

using namespace dragoman;
using mlir::Operation;
using mlir::Value;

/// True for a transpose that exchanges heads and length.
static bool exchangesHeads(mlir::linalg::TransposeOp transpose) {
  return transpose &&
         transpose.getPermutation() == llvm::ArrayRef<int64_t>{0, 2, 1, 3};
}

static llvm::StringRef exchanged(llvm::StringRef layout) {
  return layout == "bhtd" ? "bthd" : "bhtd";
}

/// Reads through a transpose: returns the new operand and layout, or nothing.
static std::optional<std::pair<Value, llvm::StringRef>>
throughTranspose(Value operand, llvm::StringRef layout) {
  auto transpose = operand.getDefiningOp<mlir::linalg::TransposeOp>();
  if (!exchangesHeads(transpose) || layout == "panel16")
    return std::nullopt;
  return std::pair(transpose.getInput(), exchanged(layout));
}

/// The transposes that read the result, if nothing else but sizes is asked of
/// it; else nothing.
static llvm::SmallVector<mlir::linalg::TransposeOp> onlyTransposes(Value out) {
  llvm::SmallVector<mlir::linalg::TransposeOp> transposes;
  for (Operation *user : out.getUsers()) {
    auto dim = llvm::dyn_cast<mlir::tensor::DimOp>(user);
    if (dim && dim.getConstantIndex())
      continue;
    auto transpose = llvm::dyn_cast<mlir::linalg::TransposeOp>(user);
    if (!exchangesHeads(transpose) || transpose.getInit() == out)
      return {};
    transposes.push_back(transpose);
  }
  return transposes;
}

static void absorbBehind(xf::AttentionOp attention) {
  Value out = attention.getOut();
  auto transposes = onlyTransposes(out);
  if (transposes.empty())
    return;
  // Sizes that were asked of the old axes.
  for (Operation *user : llvm::make_early_inc_range(out.getUsers()))
    if (auto dim = llvm::dyn_cast<mlir::tensor::DimOp>(user)) {
      static constexpr int64_t axes[] = {0, 2, 1, 3};
      mlir::OpBuilder builder(dim);
      dim.getIndexMutable().assign(mlir::arith::ConstantIndexOp::create(
          builder, dim.getLoc(), axes[*dim.getConstantIndex()]));
    }
  auto type = llvm::cast<mlir::RankedTensorType>(out.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[1], shape[2]);
  out.setType(type.clone(shape));
  attention.setOutLayout(exchanged(attention.getOutLayout()));
  for (mlir::linalg::TransposeOp transpose : transposes) {
    transpose.getResult()[0].replaceAllUsesWith(out);
    transpose.erase();
  }
}

namespace {

struct AbsorbTransposesPass
    : impl::XfAbsorbTransposesBase<AbsorbTransposesPass> {
  void runOnOperation() override {
    getOperation().walk([](xf::AttentionOp op) {
      if (auto q = throughTranspose(op.getQ(), op.getQLayout())) {
        op.getQMutable().assign(q->first);
        op.setQLayout(q->second);
      }
      if (auto k = throughTranspose(op.getK(), op.getKLayout())) {
        op.getKMutable().assign(k->first);
        op.setKLayout(k->second);
      }
      if (auto v = throughTranspose(op.getV(), op.getVLayout())) {
        op.getVMutable().assign(v->first);
        op.setVLayout(v->second);
      }
      absorbBehind(op);
    });
    getOperation().walk([](xf::CacheAppendOp op) {
      if (auto fresh = throughTranspose(op.getFresh(), op.getFreshLayout())) {
        op.getFreshMutable().assign(fresh->first);
        op.setFreshLayout(fresh->second);
      }
    });
  }
};

} // namespace
