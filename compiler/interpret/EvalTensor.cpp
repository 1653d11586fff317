//===- EvalTensor.cpp - tensor ops of the closed list ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Evaluator.h"

#include "dialects/xf/reference/Reference.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

namespace dragoman::interpret {

using namespace mlir::tensor;

/// Walks every index of `shape` in row-major order.
static void
forEachIndex(const std::vector<int64_t> &shape,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::vector<int64_t> index(shape.size());
  for (int64_t i = 0; i < count; ++i) {
    body(index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
}

/// Copies one element between tensors of one storage kind.
static void copyElement(const Tensor &from, int64_t source, Tensor &to,
                        int64_t target) {
  if (to.isFloat())
    to.mutableFloats()[target] = from.floats()[source];
  else
    to.mutableIntegers()[target] = from.integers()[source];
}

static Element elementType(mlir::Operation *op) {
  return *xf::elementOf(op->getResult(0).getType());
}

/// An error unless the sizes are of a tensor that fits this process.
static Status checkShape(const std::vector<int64_t> &shape) {
  constexpr int64_t limit = int64_t(1) << 31;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0 || (size != 0 && count > limit / size))
      return Status(StatusCode::InvalidArgument,
                    "expected sizes of at least 0 and at most 2^31 elements, "
                    "found " +
                        shapeText(shape));
    count *= size;
  }
  return Status::ok();
}

/// A value nobody may read: NaN, or a pattern for integers.
static void fillUnset(Tensor &tensor) {
  if (tensor.isFloat())
    std::fill_n(tensor.mutableFloats(), tensor.elements(),
                std::numeric_limits<double>::quiet_NaN());
  else
    std::fill_n(tensor.mutableIntegers(), tensor.elements(),
                wrapTo(tensor.element(), -0x5a5a5a5b));
}

static Status evalEmpty(Evaluator &evaluator, Frame &frame,
                        mlir::Operation *op) {
  std::vector<int64_t> shape =
      frame.sizes(llvm::cast<EmptyOp>(op).getMixedSizes());
  DRAGOMAN_RETURN_IF_ERROR(checkShape(shape));
  Tensor tensor(elementType(op), std::move(shape));
  fillUnset(tensor);
  return evaluator.define(frame, op, 0, std::move(tensor));
}

static Status evalDim(Evaluator &evaluator, Frame &frame, mlir::Operation *op) {
  auto dim = llvm::cast<DimOp>(op);
  const Tensor &source = frame.get(dim.getSource());
  int64_t axis = frame.integer(dim.getIndex());
  if (axis < 0 || axis >= source.rank())
    return Status(StatusCode::InvalidArgument,
                  "expected an axis of " + source.typeText() + ", found " +
                      std::to_string(axis));
  return evaluator.define(frame, op, 0,
                          Tensor::scalar(Element::Index, source.dim(axis)));
}

static Status evalCast(Evaluator &evaluator, Frame &frame,
                       mlir::Operation *op) {
  return evaluator.define(frame, op, 0,
                          frame.get(llvm::cast<CastOp>(op).getSource()));
}

static Status evalExtract(Evaluator &evaluator, Frame &frame,
                          mlir::Operation *op) {
  auto extract = llvm::cast<ExtractOp>(op);
  const Tensor &source = frame.get(extract.getTensor());
  int64_t linear = 0;
  for (auto [axis, value] : llvm::enumerate(extract.getIndices())) {
    int64_t i = frame.integer(value);
    if (i < 0 || i >= source.dim(axis))
      return Status(StatusCode::RuntimeError,
                    "expected index " + std::to_string(axis) + " in 0.." +
                        std::to_string(source.dim(axis) - 1) + ", found " +
                        std::to_string(i));
    linear = linear * source.dim(axis) + i;
  }
  Tensor result(source.element(), {});
  copyElement(source, linear, result, 0);
  return evaluator.define(frame, op, 0, std::move(result));
}

static Status evalExpandShape(Evaluator &evaluator, Frame &frame,
                              mlir::Operation *op) {
  auto expand = llvm::cast<ExpandShapeOp>(op);
  const Tensor &source = frame.get(expand.getSrc());
  std::vector<int64_t> shape = frame.sizes(expand.getMixedOutputShape());
  DRAGOMAN_RETURN_IF_ERROR(checkShape(shape));
  for (auto [axis, group] : llvm::enumerate(expand.getReassociationIndices())) {
    int64_t product = 1;
    for (int64_t inner : group)
      product *= shape[inner];
    if (product != source.dim(axis))
      return Status(StatusCode::InvalidArgument,
                    "expected sizes of product " +
                        std::to_string(source.dim(axis)) + " for axis " +
                        std::to_string(axis) + ", found " +
                        std::to_string(product));
  }
  return evaluator.define(frame, op, 0, source.reshaped(std::move(shape)));
}

static Status evalCollapseShape(Evaluator &evaluator, Frame &frame,
                                mlir::Operation *op) {
  auto collapse = llvm::cast<CollapseShapeOp>(op);
  const Tensor &source = frame.get(collapse.getSrc());
  std::vector<int64_t> shape;
  for (const auto &group : collapse.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t axis : group)
      shape.back() *= source.dim(axis);
  }
  return evaluator.define(frame, op, 0, source.reshaped(std::move(shape)));
}

/// The linear index in a tensor of `strides` of element `index` of the slice.
static int64_t sliceIndex(llvm::ArrayRef<int64_t> index,
                          llvm::ArrayRef<int64_t> offsets,
                          llvm::ArrayRef<int64_t> steps,
                          llvm::ArrayRef<int64_t> strides) {
  int64_t linear = 0;
  for (size_t axis = 0; axis < index.size(); ++axis)
    linear += (offsets[axis] + index[axis] * steps[axis]) * strides[axis];
  return linear;
}

static Status checkSlice(const Tensor &tensor, llvm::ArrayRef<int64_t> offsets,
                         llvm::ArrayRef<int64_t> sizes,
                         llvm::ArrayRef<int64_t> steps) {
  for (int64_t axis = 0; axis < tensor.rank(); ++axis) {
    int64_t last = offsets[axis] + (sizes[axis] - 1) * steps[axis];
    if (sizes[axis] < 0 || offsets[axis] < 0 ||
        offsets[axis] > tensor.dim(axis) ||
        (sizes[axis] > 0 && (last < 0 || last >= tensor.dim(axis))))
      return Status(StatusCode::RuntimeError,
                    "expected a slice of axis " + std::to_string(axis) +
                        " inside 0.." + std::to_string(tensor.dim(axis)) +
                        ", found offset " + std::to_string(offsets[axis]) +
                        ", size " + std::to_string(sizes[axis]));
  }
  return Status::ok();
}

static Status evalExtractSlice(Evaluator &evaluator, Frame &frame,
                               mlir::Operation *op) {
  auto slice = llvm::cast<ExtractSliceOp>(op);
  const Tensor &source = frame.get(slice.getSource());
  std::vector<int64_t> offsets = frame.sizes(slice.getMixedOffsets()),
                       sizes = frame.sizes(slice.getMixedSizes()),
                       steps = frame.sizes(slice.getMixedStrides());
  DRAGOMAN_RETURN_IF_ERROR(checkSlice(source, offsets, sizes, steps));
  std::vector<int64_t> strides = source.strides(), shape;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (size_t axis = 0; axis < sizes.size(); ++axis)
    if (!dropped.test(axis))
      shape.push_back(sizes[axis]);
  Tensor result(source.element(), shape);
  int64_t next = 0;
  forEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
    copyElement(source, sliceIndex(index, offsets, steps, strides), result,
                next++);
  });
  return evaluator.define(frame, op, 0, std::move(result));
}

static Status evalInsertSlice(Evaluator &evaluator, Frame &frame,
                              mlir::Operation *op) {
  auto insert = llvm::cast<InsertSliceOp>(op);
  const Tensor &source = frame.get(insert.getSource());
  Tensor result = frame.get(insert.getDest());
  std::vector<int64_t> offsets = frame.sizes(insert.getMixedOffsets()),
                       sizes = frame.sizes(insert.getMixedSizes()),
                       steps = frame.sizes(insert.getMixedStrides());
  DRAGOMAN_RETURN_IF_ERROR(checkSlice(result, offsets, sizes, steps));
  std::vector<int64_t> strides = result.strides();
  int64_t next = 0;
  forEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
    copyElement(source, next++, result,
                sliceIndex(index, offsets, steps, strides));
  });
  return evaluator.define(frame, op, 0, std::move(result));
}

static Status evalConcat(Evaluator &evaluator, Frame &frame,
                         mlir::Operation *op) {
  auto concat = llvm::cast<ConcatOp>(op);
  int64_t axis = concat.getDim();
  std::vector<int64_t> shape = frame.get(concat.getInputs()[0]).shape();
  shape[axis] = 0;
  for (mlir::Value input : concat.getInputs()) {
    std::vector<int64_t> other = frame.get(input).shape();
    shape[axis] += std::exchange(other[axis], shape[axis]);
    other[axis] = shape[axis];
    if (other != shape)
      return xf::sizeError("inputs besides the joined axis", shape, other);
  }
  Tensor result(elementType(op), shape);
  // result [outer, axis, inner]
  int64_t inner = result.strides()[axis], outer = 1, first = 0;
  for (int64_t before = 0; before < axis; ++before)
    outer *= shape[before];
  for (mlir::Value input : concat.getInputs()) {
    const Tensor &source = frame.get(input);
    int64_t run = source.dim(axis) * inner;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < run; ++i)
        copyElement(source, o * run + i, result,
                    (o * shape[axis] + first) * inner + i);
    first += source.dim(axis);
  }
  return evaluator.define(frame, op, 0, std::move(result));
}

static Status evalPad(Evaluator &evaluator, Frame &frame, mlir::Operation *op) {
  auto pad = llvm::cast<PadOp>(op);
  const Tensor &source = frame.get(pad.getSource());
  std::vector<int64_t> low = frame.sizes(pad.getMixedLowPad()),
                       high = frame.sizes(pad.getMixedHighPad());
  std::vector<int64_t> shape = source.shape();
  for (int64_t axis = 0; axis < source.rank(); ++axis)
    shape[axis] += low[axis] + high[axis];
  DRAGOMAN_RETURN_IF_ERROR(checkShape(shape));
  Tensor result(source.element(), shape);
  Result<ScalarProgram *> program =
      evaluator.program(frame, pad.getRegion().front());
  if (!program)
    return program.status();
  std::vector<int64_t> strides = source.strides();
  int64_t next = 0;
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index) {
    int64_t linear = 0;
    bool inside = true;
    for (int64_t axis = 0; axis < source.rank(); ++axis) {
      int64_t i = index[axis] - low[axis];
      inside &= i >= 0 && i < source.dim(axis);
      linear += i * strides[axis];
      (*program)->arguments()[axis].i = index[axis];
    }
    if (inside)
      return copyElement(source, linear, result, next++);
    (*program)->run(index.data());
    Cell cell = (*program)->result(0);
    if (result.isFloat())
      result.mutableFloats()[next++] = cell.f;
    else
      result.mutableIntegers()[next++] = cell.i;
  });
  DRAGOMAN_RETURN_IF_ERROR((*program)->status());
  return evaluator.define(frame, op, 0, std::move(result));
}

static Status evalSplat(Evaluator &evaluator, Frame &frame,
                        mlir::Operation *op) {
  auto splat = llvm::cast<SplatOp>(op);
  std::vector<int64_t> shape;
  unsigned dynamic = 0;
  for (int64_t size : splat.getType().getShape())
    shape.push_back(mlir::ShapedType::isDynamic(size)
                        ? frame.integer(splat.getDynamicSizes()[dynamic++])
                        : size);
  DRAGOMAN_RETURN_IF_ERROR(checkShape(shape));
  const Tensor &value = frame.get(splat.getInput());
  Tensor result(value.element(), shape);
  for (int64_t i = 0; i < result.elements(); ++i)
    copyElement(value, 0, result, i);
  return evaluator.define(frame, op, 0, std::move(result));
}

static Status evalFromElements(Evaluator &evaluator, Frame &frame,
                               mlir::Operation *op) {
  auto from = llvm::cast<FromElementsOp>(op);
  Tensor result(elementType(op), from.getType().getShape().vec());
  for (auto [i, value] : llvm::enumerate(from.getElements()))
    copyElement(frame.get(value), 0, result, i);
  return evaluator.define(frame, op, 0, std::move(result));
}

void registerTensorOps(Evaluator::HandlerTable &handlers) {
  handlers["tensor.cast"] = evalCast;
  handlers["tensor.collapse_shape"] = evalCollapseShape;
  handlers["tensor.concat"] = evalConcat;
  handlers["tensor.dim"] = evalDim;
  handlers["tensor.empty"] = evalEmpty;
  handlers["tensor.expand_shape"] = evalExpandShape;
  handlers["tensor.extract"] = evalExtract;
  handlers["tensor.extract_slice"] = evalExtractSlice;
  handlers["tensor.from_elements"] = evalFromElements;
  handlers["tensor.insert_slice"] = evalInsertSlice;
  handlers["tensor.pad"] = evalPad;
  handlers["tensor.splat"] = evalSplat;
}

} // namespace dragoman::interpret
