//===- MatmulPacking.cpp - Operands of a matmul into scratch --------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/MatmulPacking.h"

using namespace mlir;
using namespace dragoman;

using Values = KernelBuilder::Values;

void dragoman::forSixteens(KernelBuilder &k, Value count,
                           llvm::function_ref<void(Value, Value)> body) {
  Value whole = k.sub(count, k.rem(count, kernelLanes));
  k.forLoop(k.index(0), whole, kernelLanes,
            [&](Value at) { body(at, Value()); });
  k.ifThen(k.less(whole, count),
           [&] { body(whole, k.tailMask(k.sub(count, whole))); });
}

/// The view of an operand of one product, with a dense axis and the constant
/// stride of the other one.
static std::optional<OperandInPlace> findInPlace(KernelBody &body, Value tensor,
                                                 bool isTransposed) {
  std::optional<StridedView> view = body.view(tensor);
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (!view || !view->element.isF32() || !view->strides[rank - 1].isConstant(1))
    return std::nullopt;
  std::optional<int64_t> stride = view->strides[rank - 2].constant();
  // Leading axes are more rows.
  llvm::SmallVector<DimExpr> dims = body.analysis.dimsOf(tensor);
  for (int64_t axis = 0; axis + 2 < rank; ++axis)
    if (view->strides[axis] != view->strides[axis + 1] * dims[axis + 1] &&
        !dims[axis].isConstant(1))
      return std::nullopt;
  if (!stride)
    return std::nullopt;
  Value offset = body.value(view->offset);
  return isTransposed ? OperandInPlace{view->slot, offset, 1, *stride}
                      : OperandInPlace{view->slot, offset, *stride, 1};
}

static bool isOneProduct(xf::MatmulOp matmul) {
  return cast<RankedTensorType>(matmul.getC().getType()).getRank() == 2 ||
         foldsBatch(matmul);
}

std::optional<OperandInPlace> dragoman::findAInPlace(KernelBody &body,
                                                     xf::MatmulOp matmul) {
  if (!isOneProduct(matmul))
    return std::nullopt;
  auto found = findInPlace(body, matmul.getA(), matmul.getTransposeA());
  // Along columns each k is a line of its own: only short strides leave them in
  // the first-level cache until the next rows need them.
  constexpr int64_t longestLine = 128;
  if (found && matmul.getTransposeA() && found->kStride > longestLine)
    return std::nullopt;
  return found;
}

std::optional<OperandInPlace> dragoman::findBInPlace(KernelBody &body,
                                                     xf::MatmulOp matmul) {
  int64_t columns =
      cast<RankedTensorType>(matmul.getC().getType()).getShape().back();
  if (!isOneProduct(matmul) || matmul.getTransposeB() ||
      ShapedType::isDynamic(columns) || columns % (2 * kernelLanes) != 0)
    return std::nullopt;
  return findInPlace(body, matmul.getB(), /*isTransposed=*/true);
}

namespace {

/// Reads an operand inside one helper function.
class OperandReader {
public:
  OperandReader(plan::KernelOp kernel, xf::MatmulOp matmul,
                MatmulOperand operand, KernelBuilder &k)
      : body(kernel, k), pull(body), operand(operand),
        folds(foldsBatch(matmul)) {
    auto result = cast<RankedTensorType>(matmul.getC().getType());
    int64_t own = operand.tensor == matmul.getA() && folds ? 1 : 2;
    for (int64_t axis = 0; axis + own < result.getRank(); ++axis)
      leading.push_back(body.size(matmul.getC(), axis));
    folds &= operand.tensor == matmul.getA();
  }

  /// True if neighbours in memory are neighbours in a column of the matrix.
  bool columnsLie();
  /// Splits the number of the matrix, once per call.
  void setMatrix(Value matrix) {
    if (!folds && !leading.empty())
      batchAt = pull.delinearize(pull.uniform(matrix, false, true), leading);
  }
  /// From here on `along` reads this row, `down` this column.
  void startRow(Value row) {
    fixed = pull.uniform(row, false, true);
    if (!folds)
      return;
    batchAt = pull.delinearize(fixed, leading);
    fixed = batchAt.pop_back_val();
  }
  void startColumn(Value column) { fixed = pull.uniform(column, false, true); }
  /// Sixteen elements of the row from a column on.
  Value along(Value column, Value mask) {
    return read(fixed, pull.ramp(column, 1, false), mask);
  }
  /// Sixteen elements of the column from a row on.
  Value down(Value row, Value mask) {
    return read(pull.ramp(row, 1, false), fixed, mask);
  }

  bool failed() const { return body.failed(); }

private:
  Value read(const Lanes &row, const Lanes &column, Value mask);

  KernelBody body;
  PullEvaluator pull;
  MatmulOperand operand;
  bool folds; ///< rows number the leading axes as well
  llvm::SmallVector<Value> leading;
  llvm::SmallVector<Lanes> batchAt;
  Lanes fixed;
};

} // namespace

bool OperandReader::columnsLie() {
  if (folds)
    return false;
  int64_t rank = cast<RankedTensorType>(operand.tensor.getType()).getRank();
  int64_t down = operand.transposed ? rank - 1 : rank - 2;
  int64_t along = operand.transposed ? rank - 2 : rank - 1;
  std::optional<StridedView> view = body.view(operand.tensor);
  if (!view)
    return down == rank - 1;
  return view->strides[down].isConstant(1) &&
         !view->strides[along].isConstant(1);
}

Value OperandReader::read(const Lanes &row, const Lanes &column, Value mask) {
  auto type = cast<RankedTensorType>(operand.tensor.getType());
  llvm::SmallVector<Lanes> at;
  // Batch axes count from the right; a static 1 is read for every matrix.
  int64_t own = type.getRank() - 2, all = batchAt.size();
  for (int64_t axis = 0; axis < own; ++axis)
    at.push_back(type.getDimSize(axis) == 1 ? pull.constant(0)
                                            : batchAt[all - own + axis]);
  at.push_back(operand.transposed ? column : row);
  at.push_back(operand.transposed ? row : column);
  pull.newElements();
  return pull.readVector(operand.tensor, at, mask);
}

bool MatmulPacking::buildA(KernelBuilder &h) {
  OperandReader reader(kernel, matmul, {matmul.getA(), matmul.getTransposeA()},
                       h);
  bool byColumns = reader.columnsLie();
  reader.setMatrix(h.parameter(0));
  Value rows = h.parameter(2), depth = h.parameter(4);
  Value to = h.scratch(blocks.aOffset(), h.f32());
  int64_t stride = byColumns ? blocks.rows : blocks.depth;
  h.forLoop(h.index(0), byColumns ? depth : rows, 1, [&](Value i) {
    byColumns ? reader.startColumn(h.add(h.parameter(3), i))
              : reader.startRow(h.add(h.parameter(1), i));
    Value line = h.mul(i, stride);
    forSixteens(h, byColumns ? rows : depth, [&](Value j, Value mask) {
      Value v = byColumns ? reader.down(h.add(h.parameter(1), j), mask)
                          : reader.along(h.add(h.parameter(3), j), mask);
      h.storeV(v, to, h.add(line, j));
    });
  });
  failure |= reader.failed();
  h.finish();
  return byColumns;
}

void MatmulPacking::buildB(KernelBuilder &h) {
  OperandReader reader(kernel, matmul, {matmul.getB(), matmul.getTransposeB()},
                       h);
  bool transposes = reader.columnsLie();
  reader.setMatrix(h.parameter(0));
  Value firstColumn = h.parameter(1), columns = h.parameter(2),
        firstK = h.parameter(3), depth = h.parameter(4);
  Value to = h.scratch(blocks.bOffset(), h.f32());
  auto panel = [&](Value column) {
    // Columns come in sixteens.
    return h.add(h.parameter(5),
                 h.mul(column, blocks.panelSize() / kernelLanes));
  };
  if (!transposes)
    h.forLoop(h.index(0), depth, 1, [&](Value at) {
      reader.startRow(h.add(firstK, at));
      Value line = h.mul(at, kernelLanes);
      forSixteens(h, columns, [&](Value column, Value mask) {
        Value v = reader.along(h.add(firstColumn, column), mask);
        h.storeV(v, to, h.add(panel(column), line));
      });
    });
  else
    h.forLoop(h.index(0), columns, kernelLanes, [&](Value column) {
      Value start = panel(column);
      forSixteens(h, depth, [&](Value at, Value mask) {
        Values lines;
        for (int64_t lane = 0; lane < kernelLanes; ++lane) {
          // Behind the last column the last one is read again.
          Value own = h.min(h.add(column, lane), h.sub(columns, 1));
          reader.startColumn(h.add(firstColumn, own));
          lines.push_back(reader.down(h.add(firstK, at), mask));
        }
        for (auto [line, values] : llvm::enumerate(h.transpose16(lines)))
          h.storeV(values, to,
                   h.add(start, h.mul(h.add(at, line), kernelLanes)));
      });
    });
  failure |= reader.failed();
  h.finish();
}

bool MatmulPacking::buildAhead(KernelBuilder &h) {
  KernelBody body(kernel, h);
  struct Lines {
    int64_t slot;
    Value offset, stride;
  };
  auto linesOf = [&](Value tensor) -> std::optional<Lines> {
    std::optional<StridedView> view = body.view(tensor);
    if (!view)
      return std::nullopt;
    llvm::ArrayRef<DimExpr> strides = view->strides;
    if (!strides.back().isConstant(1))
      return std::nullopt;
    return Lines{view->slot, body.value(view->offset),
                 body.value(strides[strides.size() - 2])};
  };
  std::optional<Lines> a, b;
  if (isOneProduct(matmul)) {
    a = linesOf(matmul.getA());
    b = linesOf(matmul.getB());
  }
  // Rows along k need no help: the processor sees where they lead.
  bool fetchesA = matmul.getTransposeA();
  bool known = b && !matmul.getTransposeB() && (a || !fetchesA);
  auto fetch = [&](const Lines &lines, Value at, Value first, Value count) {
    Value slot = h.slot(lines.slot, h.f32());
    Value line = h.add(h.add(lines.offset, h.mul(at, lines.stride)), first);
    h.forLoop(h.index(0), count, kernelLanes,
              [&](Value i) { h.prefetch(slot, h.add(line, i), 2); });
  };
  if (known)
    h.forLoop(h.parameter(4), h.parameter(5), 1, [&](Value at) {
      if (fetchesA)
        fetch(*a, at, h.parameter(0), h.parameter(1));
      fetch(*b, at, h.parameter(2), h.parameter(3));
    });
  failure |= body.failed();
  h.finish();
  return known;
}
