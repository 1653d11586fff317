//===- Slice.cpp - Concat, Slice and Split -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Views.h"
#include "frontends/onnx/ops/Table.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::LogicalResult;
using mlir::Value;
namespace tensor = mlir::tensor;

LogicalResult onnx::importConcat(NodeImport &import) {
  size_t count = import.inputCount();
  if (failed(import.expectInputs(std::max<size_t>(count, 1), count)))
    return mlir::failure();
  auto given = import.intAttr("axis", std::nullopt);
  if (failed(given))
    return mlir::failure();
  Dims dims = import.in(0).dims;
  auto axis = import.axis(*given, dims.size());
  if (failed(axis))
    return mlir::failure();
  bool known = dims.size() == 1;
  DimExpr total(0);
  for (size_t i = 0; i < count; ++i) {
    Imported &x = import.in(i);
    if (x.rank() != static_cast<int64_t>(dims.size()) ||
        x.type != import.in(0).type)
      return import.error("expected operands of one rank and type, found " +
                          llvm::Twine(dims.size()) + " and " +
                          llvm::Twine(x.rank()) + " axes, " +
                          elementName(import.in(0).type) + " and " +
                          elementName(x.type));
    for (size_t other = 0; other < dims.size(); ++other)
      if (static_cast<int64_t>(other) != *axis &&
          failed(import.unify(dims[other], x.dims[other])))
        return mlir::failure();
    total += x.dims[*axis];
    known &= x.content.has_value();
  }
  dims[*axis] = total;
  if (known) {
    llvm::SmallVector<DimExpr> content;
    for (size_t i = 0; i < count; ++i)
      llvm::append_range(content, *import.in(i).content);
    import.setContent(0, import.in(0).type, dims, content);
    return mlir::success();
  }
  llvm::SmallVector<Value> values;
  for (size_t i = 0; i < count; ++i)
    if (!import.in(i).dims[*axis].isConstant(0))
      values.push_back(import.value(i));
  if (values.empty())
    values.push_back(import.value(0));
  Value result = values[0];
  if (values.size() > 1)
    result = tensor::ConcatOp::create(import.builder, import.loc,
                                      import.typeOf(import.in(0).type, dims),
                                      *axis, values);
  import.set(0, result, import.in(0).type, dims);
  return mlir::success();
}

namespace {

/// One axis of a Slice.
struct Cut {
  DimExpr offset, size;
  int64_t step = 1;
};

} // namespace

/// `index` of an axis of `size` in 0..size: negative ones count from the end,
/// others are clamped.
static DimExpr clampIndex(const DimExpr &index, const DimExpr &size) {
  if (std::optional<int64_t> constant = index.constant()) {
    if (*constant < 0)
      return DimExpr::max(size + index, DimExpr(0));
    if (*constant >= INT32_MAX)
      return size;
  }
  return DimExpr::min(index, size);
}

static mlir::FailureOr<Cut> cutAxis(NodeImport &import, const DimExpr &size,
                                    const DimExpr &start, const DimExpr &end,
                                    int64_t step) {
  if (step < 1)
    return import.error("expected steps of at least 1, found " +
                        llvm::Twine(step));
  Cut cut;
  cut.step = step;
  cut.offset = clampIndex(start, size);
  DimExpr length = clampIndex(end, size) - cut.offset;
  if (!length.provablyNonNegative())
    length = DimExpr::max(length, DimExpr(0));
  cut.size = step == 1 ? length : DimExpr::ceilDiv(length, DimExpr(step));
  return cut;
}

/// Starts, ends, axes and steps, given as inputs (opset 10 on) or attributes.
struct SliceLists {
  llvm::SmallVector<DimExpr> starts, ends;
  std::vector<int64_t> axes, steps;
};

static mlir::FailureOr<SliceLists> sliceLists(NodeImport &import) {
  SliceLists lists;
  if (import.inputCount() >= 3) {
    if (!import.in(1).content || !import.in(2).content)
      return import.error("starts and ends do not follow from constants and "
                          "dimensions");
    lists.starts = *import.in(1).content;
    lists.ends = *import.in(2).content;
  } else {
    auto starts = import.intsAttr("starts"), ends = import.intsAttr("ends");
    if (failed(starts) || failed(ends))
      return mlir::failure();
    if (!*starts || !*ends)
      return import.error("attributes 'starts' and 'ends' are required");
    lists.starts.assign((*starts)->begin(), (*starts)->end());
    lists.ends.assign((*ends)->begin(), (*ends)->end());
  }
  auto axes = import.intsInputOrAttr(3, "axes");
  auto steps = import.intsInputOrAttr(4, "steps");
  if (failed(axes) || failed(steps))
    return mlir::failure();
  size_t count = lists.starts.size();
  for (size_t i = 0; i < count; ++i) {
    lists.axes.push_back(i);
    lists.steps.push_back(1);
  }
  if (*axes)
    lists.axes = **axes;
  if (*steps)
    lists.steps = **steps;
  if (lists.ends.size() != count || lists.axes.size() != count ||
      lists.steps.size() != count)
    return import.error("expected starts, ends, axes and steps of one length");
  return lists;
}

LogicalResult onnx::importSlice(NodeImport &import) {
  if (failed(import.expectInputs(1, 5)))
    return mlir::failure();
  auto lists = sliceLists(import);
  if (failed(lists))
    return mlir::failure();
  Imported &x = import.in(0);
  Dims offsets(x.rank(), DimExpr(0)), sizes = x.dims;
  llvm::SmallVector<int64_t> strides(x.rank(), 1);
  for (size_t i = 0; i < lists->starts.size(); ++i) {
    auto axis = import.axis(lists->axes[i], x.rank());
    if (failed(axis))
      return mlir::failure();
    auto cut = cutAxis(import, x.dims[*axis], lists->starts[i], lists->ends[i],
                       lists->steps[i]);
    if (failed(cut))
      return mlir::failure();
    offsets[*axis] = cut->offset;
    sizes[*axis] = cut->size;
    strides[*axis] = cut->step;
  }
  if (x.content && x.rank() == 1 && offsets[0].constant() &&
      sizes[0].constant()) {
    llvm::SmallVector<DimExpr> content;
    for (int64_t i = 0; i < *sizes[0].constant(); ++i)
      content.push_back((*x.content)[*offsets[0].constant() + i * strides[0]]);
    import.setContent(0, x.type, sizes, content);
    return mlir::success();
  }
  if (sizes == x.dims) {
    import.set(0, x);
    return mlir::success();
  }
  import.set(0, slice(import, import.value(0), offsets, sizes, strides, x.type),
             x.type, sizes);
  return mlir::success();
}

LogicalResult onnx::importSplit(NodeImport &import) {
  if (failed(import.expectInputs(1, 2)))
    return mlir::failure();
  Imported &x = import.in(0);
  auto given = import.intAttr("axis", 0);
  if (failed(given))
    return mlir::failure();
  auto axis = import.axis(*given, x.rank());
  auto split = import.intsInputOrAttr(1, "split");
  if (failed(axis) || failed(split))
    return mlir::failure();
  int64_t count = import.node.outputs.size();
  const DimExpr &total = x.dims[*axis];
  llvm::SmallVector<DimExpr> parts;
  if (*split) {
    parts.assign((*split)->begin(), (*split)->end());
    if (static_cast<int64_t>(parts.size()) != count)
      return import.error("expected one size per output (" +
                          llvm::Twine(count) + "), found " +
                          llvm::Twine(parts.size()));
  } else {
    DimExpr chunk = DimExpr::ceilDiv(total, DimExpr(count));
    for (int64_t i = 0; i + 1 < count; ++i)
      parts.push_back(chunk);
    parts.push_back(total - chunk * DimExpr(count - 1));
  }
  DimExpr at(0);
  Dims offsets(x.rank(), DimExpr(0)), sizes = x.dims;
  llvm::SmallVector<int64_t> strides(x.rank(), 1);
  Value value = import.value(0);
  for (int64_t i = 0; i < count; ++i) {
    offsets[*axis] = at;
    sizes[*axis] = parts[i];
    at += parts[i];
    import.set(i, slice(import, value, offsets, sizes, strides, x.type), x.type,
               sizes);
  }
  return import.unify(at, total);
}
