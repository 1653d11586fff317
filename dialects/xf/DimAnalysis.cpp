//===- DimAnalysis.cpp - Named dimensions of every value of a function ----===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/DimAnalysis.h"

#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

mlir::ArrayAttr xf::dimsToAttr(mlir::MLIRContext *context,
                               llvm::ArrayRef<DimExpr> dims) {
  llvm::SmallVector<mlir::Attribute> texts;
  for (const DimExpr &dim : dims)
    texts.push_back(mlir::StringAttr::get(context, dim.str()));
  return mlir::ArrayAttr::get(context, texts);
}

llvm::SmallVector<DimExpr> xf::dimsFromAttr(mlir::ArrayAttr attr) {
  llvm::SmallVector<DimExpr> dims;
  for (auto text : attr.getAsRange<mlir::StringAttr>()) {
    Result<DimExpr> expr = DimExpr::parse(text.getValue().str());
    assert(expr && "dimension expressions are checked by the verifier");
    dims.push_back(*expr);
  }
  return dims;
}

DimExpr DimAnalysis::fresh() {
  return DimExpr::dim("d" + std::to_string(freshNames++));
}

void DimAnalysis::setDims(Value tensor, llvm::ArrayRef<DimExpr> dims) {
  for (auto [axis, dim] : llvm::enumerate(dims))
    cache[{tensor, static_cast<unsigned>(axis)}] = dim;
}

llvm::SmallVector<DimExpr> DimAnalysis::dimsOf(Value tensor) {
  llvm::SmallVector<DimExpr> dims;
  auto type = llvm::cast<mlir::RankedTensorType>(tensor.getType());
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    dims.push_back(dimOf(tensor, axis));
  return dims;
}

DimExpr DimAnalysis::dimOf(Value tensor, unsigned axis) {
  auto type = llvm::cast<mlir::RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(axis))
    return DimExpr(type.getDimSize(axis));
  auto found = cache.find({tensor, axis});
  if (found != cache.end())
    return found->second;
  DimExpr dim = compute(tensor, axis);
  cache[{tensor, axis}] = dim;
  return dim;
}

DimExpr DimAnalysis::argumentDim(mlir::BlockArgument argument, unsigned axis) {
  mlir::Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = llvm::dyn_cast_if_present<mlir::LoopLikeOpInterface>(parent))
    if (mlir::OpOperand *init = loop.getTiedLoopInit(argument))
      return dimOf(init->get(), axis);
  auto function = llvm::dyn_cast_if_present<mlir::FunctionOpInterface>(parent);
  if (!function || !argument.getOwner()->isEntryBlock())
    return fresh();
  auto dims = function.getArgAttrOfType<mlir::ArrayAttr>(
      argument.getArgNumber(), "xf.dims");
  return dims ? dimsFromAttr(dims)[axis] : fresh();
}

/// The dynamic size operand of axis `axis` in a list of mixed sizes.
static mlir::OpFoldResult mixedSize(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                    unsigned axis) {
  return sizes[axis];
}

DimExpr DimAnalysis::compute(Value tensor, unsigned axis) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(tensor))
    return argumentDim(argument, axis);
  mlir::Operation *op = tensor.getDefiningOp();
  unsigned result = llvm::cast<mlir::OpResult>(tensor).getResultNumber();
  auto lookup = [this](Value value, unsigned other) {
    return dimOf(value, other);
  };
  if (auto dims = llvm::dyn_cast<DimsOpInterface>(op))
    return dims.resultDim(result, axis, lookup);
  if (auto loop = llvm::dyn_cast<mlir::LoopLikeOpInterface>(op))
    if (mlir::OpOperand *init =
            loop.getTiedLoopInit(llvm::cast<mlir::OpResult>(tensor)))
      return dimOf(init->get(), axis);
  auto fromSize = [this](mlir::OpFoldResult size) {
    if (auto attr = llvm::dyn_cast<mlir::Attribute>(size))
      return DimExpr(llvm::cast<mlir::IntegerAttr>(attr).getInt());
    std::optional<DimExpr> value = scalar(llvm::cast<Value>(size));
    return value ? *value : fresh();
  };
  return llvm::TypeSwitch<mlir::Operation *, DimExpr>(op)
      .Case([&](mlir::linalg::LinalgOp generic) {
        return dimOf(generic.getDpsInitOperand(result)->get(), axis);
      })
      .Case([&](mlir::tensor::EmptyOp empty) {
        return fromSize(mixedSize(empty.getMixedSizes(), axis));
      })
      .Case([&](mlir::tensor::SplatOp splat) {
        auto type = splat.getType();
        return fromSize(splat.getDynamicSizes()[type.getDynamicDimIndex(axis)]);
      })
      .Case([&](mlir::tensor::ExtractSliceOp slice) {
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        unsigned kept = 0, source = 0;
        for (;; ++source)
          if (!dropped.test(source) && kept++ == axis)
            break;
        return fromSize(mixedSize(slice.getMixedSizes(), source));
      })
      .Case([&](mlir::tensor::InsertSliceOp insert) {
        return dimOf(insert.getDest(), axis);
      })
      .Case([&](mlir::tensor::CastOp cast) {
        return dimOf(cast.getSource(), axis);
      })
      .Case([&](mlir::tensor::ExpandShapeOp expand) {
        return fromSize(mixedSize(expand.getMixedOutputShape(), axis));
      })
      .Case([&](mlir::tensor::CollapseShapeOp collapse) {
        DimExpr product(1);
        auto groups = collapse.getReassociationIndices();
        for (int64_t source : groups[axis])
          product *= dimOf(collapse.getSrc(), source);
        return product;
      })
      .Case([&](mlir::tensor::ConcatOp concat) {
        if (axis != concat.getDim())
          return dimOf(concat.getInputs()[0], axis);
        DimExpr sum(0);
        for (Value input : concat.getInputs())
          sum += dimOf(input, axis);
        return sum;
      })
      .Case([&](mlir::tensor::PadOp pad) {
        return dimOf(pad.getSource(), axis) +
               fromSize(mixedSize(pad.getMixedLowPad(), axis)) +
               fromSize(mixedSize(pad.getMixedHighPad(), axis));
      })
      .Default([&](mlir::Operation *) {
        // An elementwise arith or math op on tensors has its operands' shape.
        for (Value operand : op->getOperands())
          if (auto type =
                  llvm::dyn_cast<mlir::RankedTensorType>(operand.getType());
              type &&
              type.getRank() ==
                  llvm::cast<mlir::RankedTensorType>(tensor.getType())
                      .getRank() &&
              op->hasTrait<mlir::OpTrait::Elementwise>())
            return dimOf(operand, axis);
        return fresh();
      });
}

/// The name that a loop gives the number of its iteration.
static std::optional<DimExpr> iteration(Value value) {
  auto loop = llvm::dyn_cast_if_present<mlir::LoopLikeOpInterface>(
      value.getParentBlock()->getParentOp());
  auto name =
      loop ? loop->getAttrOfType<mlir::StringAttr>("dim") : mlir::StringAttr();
  if (!name || loop.getSingleInductionVar() != value)
    return std::nullopt;
  return DimExpr::dim(name.getValue());
}

std::optional<DimExpr> DimAnalysis::scalar(Value value) {
  llvm::APInt constant;
  if (mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return DimExpr(constant.getSExtValue());
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return iteration(value);
  if (auto dim = llvm::dyn_cast<mlir::tensor::DimOp>(op)) {
    std::optional<int64_t> axis = dim.getConstantIndex();
    if (!axis)
      return std::nullopt;
    return dimOf(dim.getSource(), *axis);
  }
  if (llvm::isa<mlir::arith::IndexCastOp, mlir::arith::IndexCastUIOp,
                mlir::arith::ExtSIOp, mlir::arith::ExtUIOp>(op))
    return scalar(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<DimExpr> a = scalar(op->getOperand(0));
  std::optional<DimExpr> b = scalar(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  using namespace mlir::arith;
  return llvm::TypeSwitch<mlir::Operation *, std::optional<DimExpr>>(op)
      .Case([&](AddIOp) { return *a + *b; })
      .Case([&](SubIOp) { return *a - *b; })
      .Case([&](MulIOp) { return *a * *b; })
      .Case<DivSIOp, DivUIOp, FloorDivSIOp>(
          [&](auto) { return DimExpr::floorDiv(*a, *b); })
      .Case<CeilDivSIOp, CeilDivUIOp>(
          [&](auto) { return DimExpr::ceilDiv(*a, *b); })
      .Case<MaxSIOp, MaxUIOp>([&](auto) { return DimExpr::max(*a, *b); })
      .Case<MinSIOp, MinUIOp>([&](auto) { return DimExpr::min(*a, *b); })
      .Default([](mlir::Operation *) { return std::nullopt; });
}
