//===- LowerLinear.cpp - Lowering of kernels around xf.linear -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/LinearKernel.h"
#include "compiler/lowering/cpu/Lowering.h"
#include "compiler/lowering/cpu/RootEpilogue.h"
#include "dialects/xf/Xf.h"

using namespace mlir;
using namespace dragoman;

namespace {

/// Fills a LinearSpec from the body of a kernel.
class LinearReader {
public:
  LinearReader(plan::KernelOp kernel, xf::LinearOp linear, KernelBuilder &k)
      : kernel(kernel), linear(linear), body(kernel, k) {}

  LogicalResult read(LinearSpec &spec);

private:
  LogicalResult readInput(LinearSpec &spec);
  LogicalResult readWeight(LinearSpec &spec);
  LogicalResult readBias(LinearSpec &spec);

  plan::KernelOp kernel;
  xf::LinearOp linear;
  KernelBody body;
};

} // namespace

/// x must lie in an argument, rows at one constant stride.
LogicalResult LinearReader::readInput(LinearSpec &spec) {
  Value x = linear.getX();
  std::optional<StridedView> view = body.view(x);
  if (!view)
    return linear.emitOpError("expected x to be a view of a kernel argument");
  llvm::SmallVector<DimExpr> dims = body.analysis.dimsOf(x);
  unsigned rank = dims.size();
  bool regular = view->strides[rank - 1].isConstant(1);
  for (unsigned axis = 0; axis + 2 < rank; ++axis)
    regular &=
        view->strides[axis] == view->strides[axis + 1] * dims[axis + 1] ||
        dims[axis].isConstant(1);
  std::optional<int64_t> stride =
      rank < 2 ? spec.depth : view->strides[rank - 2].constant();
  std::optional<int64_t> offset = view->offset.constant();
  if (!regular || !stride || !offset)
    return linear.emitOpError("expected rows of x at one constant stride");
  spec.xSlot = view->slot;
  spec.xRowStride = *stride;
  spec.xOffset = *offset;
  DimExpr rows(1);
  for (const DimExpr &dim : llvm::ArrayRef(dims).drop_back())
    rows *= dim;
  Value count = body.value(rows);
  spec.rows = [count](KernelBuilder &) { return count; };
  return success();
}

LogicalResult LinearReader::readWeight(LinearSpec &spec) {
  auto weight = dyn_cast<BlockArgument>(linear.getW());
  if (!weight || argumentLayout(weight) != "panel16")
    return linear.emitOpError(
        "expected the weight to be an argument in layout panel16");
  auto type = cast<RankedTensorType>(weight.getType());
  if (!type.hasStaticShape() || !type.getElementType().isF32())
    return linear.emitOpError("expected a static float32 weight, found ")
           << type;
  spec.columns = type.getDimSize(0);
  spec.depth = type.getDimSize(1);
  spec.weightSlot = weight.getArgNumber();
  return success();
}

LogicalResult LinearReader::readBias(LinearSpec &spec) {
  if (!linear.getB())
    return success();
  std::optional<StridedView> view = body.view(linear.getB());
  if (!view || !view->strides[0].isConstant(1) || !view->offset.constant())
    return linear.emitOpError("expected the bias to lie in an argument");
  spec.biasSlot = view->slot;
  spec.biasOffset = *view->offset.constant();
  return success();
}

LogicalResult LinearReader::read(LinearSpec &spec) {
  std::optional<Activation> activation =
      parseActivation(linear.getActivation());
  if (!activation)
    return linear.emitOpError("expected a known activation, found '")
           << linear.getActivation() << "'";
  spec.activation = *activation;
  spec.outSlot = body.resultSlot(0);
  spec.rowBlock = body.param("row_block", spec.rowBlock);
  if (failed(readWeight(spec)) || failed(readInput(spec)) ||
      failed(readBias(spec)))
    return failure();
  return body.status();
}

LogicalResult dragoman::lowerLinear(plan::KernelOp kernel, KernelBuilder &k) {
  auto linears = kernel.getBody().front().getOps<xf::LinearOp>();
  if (!llvm::hasSingleElement(linears))
    return kernel.emitOpError("expected one xf.linear as the root");
  xf::LinearOp linear = *linears.begin();
  LinearSpec spec;
  if (failed(LinearReader(kernel, linear, k).read(spec)))
    return failure();
  if (!RootEpilogue::result(kernel, linear.getY()))
    return failure();
  std::shared_ptr<RootEpilogue> epilogue;
  if (!RootEpilogue::isTrivial(kernel, linear.getY()))
    spec.epilogue = [&](KernelBuilder &e) -> EpilogueFunction {
      epilogue = std::make_shared<RootEpilogue>(kernel, linear.getY(), e);
      return [&epilogue](const EpilogueVector &at, Value value) {
        return epilogue->apply(at.row, at.column, at.mask, value);
      };
    };
  emitLinear(k, spec);
  return failure(epilogue && epilogue->failed());
}
