//===- KernelBody.cpp - Reading the tensor body of a kernel ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/KernelBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cctype>

using namespace mlir;
using namespace dragoman;

llvm::StringRef dragoman::argumentLayout(BlockArgument argument) {
  auto kernel = cast<plan::KernelOp>(argument.getOwner()->getParentOp());
  auto layout = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    "plan.layout");
  return layout ? layout.getValue() : "rows";
}

Type dragoman::memoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

KernelBody::KernelBody(plan::KernelOp kernel, KernelBuilder &k)
    : kernel(kernel), k(k),
      anchor(arith::ConstantIndexOp::create(k.op(), 0).getOperation()) {}

plan::YieldOp KernelBody::yield() {
  return cast<plan::YieldOp>(kernel.getBody().front().getTerminator());
}

int64_t KernelBody::resultSlot(unsigned result) {
  auto alias = [&](unsigned i) {
    return kernel.getResultAttrOfType<IntegerAttr>(i, "plan.alias");
  };
  if (IntegerAttr argument = alias(result))
    return argument.getInt();
  int64_t slot = kernel.getNumArguments();
  for (unsigned i = 0; i < result; ++i)
    slot += !alias(i);
  return slot;
}

InFlightDiagnostic KernelBody::error(Operation *op) {
  failure = true;
  return op->emitOpError();
}

int64_t KernelBody::param(llvm::StringRef name, int64_t otherwise) {
  auto schedule = kernel.getScheduleAttr();
  if (!schedule)
    return otherwise;
  auto number = schedule.getParams().getAs<IntegerAttr>(name);
  return number ? number.getInt() : otherwise;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Builds index arithmetic from the text form of a DimExpr (see its grammar).
class KernelBody::ExpressionParser {
public:
  ExpressionParser(KernelBody &body, llvm::StringRef text)
      : body(body), k(body.k), text(text) {}

  Value sum() {
    bool minus = consume('-');
    Value value = product();
    if (minus)
      value = k.sub(k.index(0), value);
    while (true) {
      if (consume('+'))
        value = k.add(value, product());
      else if (consume('-'))
        value = k.sub(value, product());
      else
        return value;
    }
  }

private:
  Value product() {
    Value value = factor();
    while (consume('*'))
      value = k.mul(value, factor());
    return value;
  }

  Value factor() {
    if (consume('(')) {
      Value value = sum();
      consume(')');
      return value;
    }
    text = text.ltrim();
    llvm::StringRef word = text.take_while(
        [](char c) { return std::isalnum(c) || c == '_' || c == '.'; });
    text = text.drop_front(word.size());
    int64_t number;
    if (!word.getAsInteger(10, number))
      return k.index(number);
    return consume('(') ? call(word) : name(word);
  }

  Value call(llvm::StringRef function) {
    Value value = sum();
    while (consume(',')) {
      Value other = sum();
      if (function == "ceildiv")
        value = k.ceilDiv(value, other);
      else if (function == "floordiv")
        value = k.div(value, other);
      else if (function == "align")
        value = k.mul(k.ceilDiv(value, other), other);
      else if (function == "max")
        value = k.max(value, other);
      else
        value = k.min(value, other);
    }
    consume(')');
    return value;
  }

  Value name(llvm::StringRef name) {
    for (auto [i, dim] :
         llvm::enumerate(body.kernel.getDims().getAsRange<StringAttr>()))
      if (dim.getValue() == name)
        return k.dim(i);
    body.error(body.kernel)
        << "expected sizes in the kernel's dims, found '" << name << "'";
    return k.index(1);
  }

  bool consume(char c) {
    text = text.ltrim();
    return text.consume_front(llvm::StringRef(&c, 1));
  }

  KernelBody &body;
  KernelBuilder &k;
  llvm::StringRef text;
};

Value KernelBody::value(const DimExpr &expr) {
  if (std::optional<int64_t> constant = expr.constant())
    return k.index(*constant);
  std::string text = expr.str();
  auto known = values.find(text);
  if (known != values.end())
    return known->second;
  OpBuilder::InsertionGuard guard(k.op());
  k.op().setInsertionPoint(anchor);
  Value value = ExpressionParser(*this, text).sum();
  return values[text] = value;
}

DimExpr KernelBody::elements(Value tensor) {
  DimExpr product(1);
  for (const DimExpr &dim : analysis.dimsOf(tensor))
    product *= dim;
  return product;
}

llvm::SmallVector<DimExpr> KernelBody::denseStrides(Value tensor) {
  llvm::SmallVector<DimExpr> dims = analysis.dimsOf(tensor);
  llvm::SmallVector<DimExpr> strides(dims.size(), DimExpr(1));
  for (int64_t axis = int64_t(dims.size()) - 2; axis >= 0; --axis)
    strides[axis] = strides[axis + 1] * dims[axis + 1];
  return strides;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::optional<StridedView> KernelBody::sliceView(Operation *op) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  std::optional<StridedView> source = view(slice.getSource());
  if (!source)
    return std::nullopt;
  auto expression = [&](OpFoldResult value) -> std::optional<DimExpr> {
    if (auto attribute = dyn_cast<Attribute>(value))
      return DimExpr(cast<IntegerAttr>(attribute).getInt());
    return analysis.scalar(cast<Value>(value));
  };
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  StridedView result = *source;
  result.strides.clear();
  for (auto [axis, offset, step] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
    std::optional<DimExpr> start = expression(offset), by = expression(step);
    if (!start || !by)
      return std::nullopt;
    result.offset += *start * source->strides[axis];
    if (!dropped.test(axis))
      result.strides.push_back(*by * source->strides[axis]);
  }
  return result;
}

std::optional<StridedView> KernelBody::reshapeView(Operation *op) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  std::optional<StridedView> source = view(op->getOperand(0));
  if (!source)
    return std::nullopt;
  // The side with more axes; groups of them make one axis of the other side.
  Value wide = expand ? Value(expand.getResult()) : collapse.getSrc();
  auto groups = expand ? expand.getReassociationIndices()
                       : collapse.getReassociationIndices();
  llvm::SmallVector<DimExpr> dims = analysis.dimsOf(wide);
  StridedView result = *source;
  result.strides.assign(expand ? dims.size() : groups.size(), DimExpr(1));
  for (auto [narrow, group] : llvm::enumerate(groups)) {
    if (expand) {
      DimExpr stride = source->strides[narrow];
      for (int64_t axis : llvm::reverse(group)) {
        result.strides[axis] = stride;
        stride *= dims[axis];
      }
      continue;
    }
    std::optional<DimExpr> stride, next;
    for (int64_t axis : llvm::reverse(group)) {
      if (dims[axis].isConstant(1))
        continue;
      if (next && source->strides[axis] != *next)
        return std::nullopt;
      if (!stride)
        stride = source->strides[axis];
      next = source->strides[axis] * dims[axis];
    }
    result.strides[narrow] = stride.value_or(DimExpr(1));
  }
  return result;
}

std::optional<StridedView> KernelBody::view(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    if (argument.getOwner() != &kernel.getBody().front() ||
        argumentLayout(argument) != "rows")
      return std::nullopt;
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    return StridedView{argument, argument.getArgNumber(), element, DimExpr(0),
                       denseStrides(tensor)};
  }
  Operation *op = tensor.getDefiningOp();
  if (isa<tensor::CastOp>(op))
    return view(op->getOperand(0));
  if (isa<tensor::ExtractSliceOp>(op))
    return sliceView(op);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return reshapeView(op);
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    std::optional<StridedView> source = view(transpose.getInput());
    if (!source)
      return std::nullopt;
    StridedView result = *source;
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      result.strides[to] = source->strides[from];
    return result;
  }
  return std::nullopt;
}
