//===- MergeSiblings.cpp - Linear layers of one operand become one --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/fusion/Passes.h"
#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace dragoman::fusion {
#define GEN_PASS_DEF_MERGESIBLINGSPASS
#include "compiler/fusion/Passes.h.inc"
} // namespace dragoman::fusion

using namespace dragoman;
using mlir::RankedTensorType;
using mlir::Value;
using xf::LinearOp;

namespace {

/// What siblings have in common.
using SiblingKey = std::tuple<Value, mlir::Attribute, unsigned>; // 1: bias
using Siblings = llvm::SmallVector<LinearOp>;

class SiblingMerger {
public:
  explicit SiblingMerger(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  void run(mlir::func::FuncOp function);

private:
  void merge(llvm::ArrayRef<LinearOp> group);
  /// A load of the concatenation of the given loads' weights.
  Value loadConcatenated(mlir::OpBuilder &builder,
                         llvm::ArrayRef<plan::LoadOp> parts);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
};

} // namespace

static plan::LoadOp loadOf(Value value) {
  return value ? value.getDefiningOp<plan::LoadOp>() : plan::LoadOp();
}

static bool readsWeights(LinearOp linear) {
  return loadOf(linear.getW()) && (!linear.getB() || loadOf(linear.getB()));
}

void SiblingMerger::run(mlir::func::FuncOp function) {
  llvm::MapVector<SiblingKey, Siblings> families;
  for (auto linear : function.getBody().front().getOps<LinearOp>())
    if (readsWeights(linear))
      families[{linear.getX(),
                mlir::StringAttr::get(function.getContext(),
                                      linear.getActivation()),
                linear.getB() ? 1u : 0u}]
          .push_back(linear);

  for (auto &[key, family] : families) {
    int64_t limit =
        4 *
        llvm::cast<RankedTensorType>(family[0].getW().getType()).getDimSize(1);
    Siblings group;
    int64_t columns = 0;
    for (LinearOp linear : family) {
      int64_t own =
          llvm::cast<RankedTensorType>(linear.getW().getType()).getDimSize(0);
      if (!group.empty() && columns + own > limit) {
        merge(group);
        group.clear();
        columns = 0;
      }
      group.push_back(linear);
      columns += own;
    }
    merge(group);
  }
}

Value SiblingMerger::loadConcatenated(mlir::OpBuilder &builder,
                                      llvm::ArrayRef<plan::LoadOp> parts) {
  plan::LoadOp first = parts[0];
  auto firstType = llvm::cast<RankedTensorType>(first.getType());
  llvm::SmallVector<int64_t> shape(firstType.getShape());
  shape[0] = 0;
  for (plan::LoadOp part : parts)
    shape[0] += llvm::cast<RankedTensorType>(part.getType()).getDimSize(0);
  RankedTensorType type = firstType.clone(shape);

  std::string name = (first.getWeight() + ".merged").str();
  mlir::Operation *source = symbols.lookup(first.getWeight());
  mlir::ImplicitLocOpBuilder b(first.getLoc(), module.getContext());
  auto init = mlir::func::FuncOp::create(b, name + ".init",
                                         b.getFunctionType({}, {type}));
  init.setPrivate();
  symbols.insert(init, std::next(source->getIterator()));
  b.setInsertionPointToStart(init.addEntryBlock());
  llvm::SmallVector<Value> values;
  for (plan::LoadOp part : parts)
    values.push_back(plan::LoadOp::create(b, part.getType(), part.getWeight()));
  Value joined = mlir::tensor::ConcatOp::create(b, type, 0, values);
  mlir::func::ReturnOp::create(b, joined);

  b.clearInsertionPoint();
  auto weight =
      plan::WeightOp::create(b, name, type, mlir::Attribute(),
                             mlir::FlatSymbolRefAttr::get(init.getNameAttr()));
  symbols.insert(weight, std::next(init->getIterator()));
  return plan::LoadOp::create(builder, first.getLoc(), type,
                              weight.getSymName());
}

void SiblingMerger::merge(llvm::ArrayRef<LinearOp> group) {
  if (group.size() < 2)
    return;
  LinearOp first = group[0];
  mlir::ImplicitLocOpBuilder b(first.getLoc(), first);
  llvm::SmallVector<plan::LoadOp> weights, biases;
  for (LinearOp linear : group) {
    weights.push_back(loadOf(linear.getW()));
    if (linear.getB())
      biases.push_back(loadOf(linear.getB()));
  }
  Value w = loadConcatenated(b, weights);
  Value bias = biases.empty() ? Value() : loadConcatenated(b, biases);
  auto type = llvm::cast<RankedTensorType>(first.getY().getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.back() = llvm::cast<RankedTensorType>(w.getType()).getDimSize(0);
  auto merged = LinearOp::create(b, type.clone(shape), first.getX(), w, bias,
                                 first.getActivation());

  int64_t rank = type.getRank(), column = 0;
  llvm::SmallVector<mlir::OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
      strides(rank, b.getIndexAttr(1));
  for (int64_t axis = 0; axis < rank; ++axis)
    sizes.push_back(mlir::tensor::getMixedSize(b, b.getLoc(), merged, axis));
  for (LinearOp linear : group) {
    auto part = llvm::cast<RankedTensorType>(linear.getY().getType());
    offsets.back() = b.getIndexAttr(column);
    sizes.back() = b.getIndexAttr(part.getShape().back());
    column += part.getShape().back();
    Value slice = mlir::tensor::ExtractSliceOp::create(b, part, merged, offsets,
                                                       sizes, strides);
    linear.getY().replaceAllUsesWith(slice);
  }
  for (LinearOp linear : group)
    linear.erase();
  for (plan::LoadOp load : llvm::concat<plan::LoadOp>(weights, biases))
    if (load->use_empty())
      load.erase();
}

namespace {

struct MergeSiblingsPass
    : fusion::impl::MergeSiblingsPassBase<MergeSiblingsPass> {
  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    registry.insert<plan::PlanDialect, mlir::func::FuncDialect,
                    mlir::tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SiblingMerger merger(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<mlir::func::FuncOp>()))
      if (!function.isPrivate())
        merger.run(function);
  }
};

} // namespace
