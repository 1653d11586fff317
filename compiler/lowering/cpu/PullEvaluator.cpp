//===- PullEvaluator.cpp - Values of tensors, pulled by element -----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/PullEvaluator.h"

#include "compiler/lowering/cpu/VectorMath.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dragoman;

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

static bool same(const Lanes &x, const Lanes &y) {
  return x.kind == y.kind && x.value == y.value && x.step == y.step;
}

/// True if `block` is `inner` or around it, so that its values are visible.
static bool visibleFrom(Block *block, Block *inner) {
  for (; inner; inner = inner->getParentOp() ? inner->getParentOp()->getBlock()
                                             : nullptr)
    if (block == inner)
      return true;
  return false;
}

void PullEvaluator::substitute(Value tensor, const Lanes &value) {
  substitutes[tensor] = value;
}

Lanes PullEvaluator::read(Value tensor, llvm::ArrayRef<Lanes> at, Value mask) {
  auto replaced = substitutes.find(tensor);
  if (replaced != substitutes.end())
    return replaced->second;
  Block *block = k.op().getInsertionBlock();
  for (const Known &known : memo)
    if (known.tensor == tensor && known.mask == mask &&
        visibleFrom(known.block, block) &&
        std::equal(at.begin(), at.end(), known.at.begin(), known.at.end(),
                   same))
      return known.result;
  Lanes result = compute(tensor, at, mask);
  memo.push_back({tensor, llvm::SmallVector<Lanes>(at), mask, result, block});
  return result;
}

Lanes PullEvaluator::unsupported(Operation *op, Type element) {
  body.error(op) << "has no lowering as a pulled producer on the CPU";
  return uniform(arith::ConstantOp::create(
      k.op(), cast<TypedAttr>(k.op().getZeroAttr(element))));
}

Lanes PullEvaluator::compute(Value tensor, llvm::ArrayRef<Lanes> at,
                             Value mask) {
  if (std::optional<StridedView> view = body.view(tensor))
    return load(*view, at, mask);
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return unsupported(body.kernel, elementOf(tensor));
  unsigned result = cast<OpResult>(tensor).getResultNumber();
  return llvm::TypeSwitch<Operation *, Lanes>(op)
      .Case<arith::ConstantOp>([&](auto) { return loadConstant(op, at); })
      .Case([&](linalg::FillOp fill) {
        return scalar(fill.getInputs()[0], mask);
      })
      .Case([&](linalg::TransposeOp transpose) {
        llvm::SmallVector<Lanes> source(at);
        for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
          source[from] = at[to];
        return read(transpose.getInput(), source, mask);
      })
      .Case([&](linalg::BroadcastOp broadcast) {
        llvm::SmallVector<Lanes> source;
        for (auto [axis, index] : llvm::enumerate(at))
          if (!llvm::is_contained(broadcast.getDimensions(), int64_t(axis)))
            source.push_back(index);
        return read(broadcast.getInput(), source, mask);
      })
      .Case<linalg::GenericOp>(
          [&](auto) { return readGeneric(op, result, at, mask); })
      .Case<tensor::CastOp>(
          [&](auto) { return read(op->getOperand(0), at, mask); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](auto) { return readReshape(op, at, mask); })
      .Case<tensor::ExtractSliceOp>(
          [&](auto) { return readSlice(op, at, mask); })
      .Case<tensor::ConcatOp>([&](auto) { return readConcat(op, at, mask); })
      .Case([&](tensor::PadOp pad) {
        Lanes fill = evaluateBlock(pad.getRegion().front(), at, {}, mask)[0];
        return readWindow(pad.getSource(), Value(), fill, pad.getMixedLowPad(),
                          at, mask);
      })
      .Case([&](tensor::InsertSliceOp insert) {
        bool plain =
            llvm::all_of(
                insert.getMixedStrides(),
                [](auto stride) { return isConstantIntValue(stride, 1); }) &&
            insert.getSourceType().getRank() == insert.getDestType().getRank();
        if (!plain)
          return unsupported(op, elementOf(tensor));
        return readWindow(insert.getSource(), insert.getDest(), Lanes(),
                          insert.getMixedOffsets(), at, mask);
      })
      .Case([&](tensor::EmptyOp) {
        return uniform(arith::ConstantOp::create(
            k.op(), cast<TypedAttr>(k.op().getZeroAttr(elementOf(tensor)))));
      })
      .Case(
          [&](tensor::SplatOp splat) { return scalar(splat.getInput(), mask); })
      .Case([&](tensor::FromElementsOp elements) {
        return elements.getElements().size() == 1
                   ? scalar(elements.getElements()[0], mask)
                   : unsupported(op, elementOf(tensor));
      })
      .Case<xf::EmbeddingOp>([&](auto) { return readEmbedding(op, at, mask); })
      .Case<xf::DropoutOp>([&](auto) { return readDropout(op, at, mask); })
      .Case<xf::GeluOp, xf::SiluOp, xf::GluOp>(
          [&](auto) { return readActivation(op, at, mask); })
      .Default([&](Operation *) {
        if (op->getNumResults() == 1 &&
            OpTrait::hasElementwiseMappableTraits(op))
          return readElementwise(op, at, mask);
        return unsupported(op, elementOf(tensor));
      });
}

//===----------------------------------------------------------------------===//
// Generic ops
//===----------------------------------------------------------------------===//

Lanes PullEvaluator::affine(AffineExpr expr, llvm::ArrayRef<Lanes> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Lanes left = affine(binary.getLHS(), dims);
  if (expr.getKind() == AffineExprKind::Add)
    return add(left, affine(binary.getRHS(), dims));
  auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
  assert(number && "indexing maps multiply and divide by constants");
  Value factor = k.index(number.getValue());
  if (expr.getKind() == AffineExprKind::Mul)
    return mul(left, factor);
  std::pair<Lanes, Lanes> parts = divide(left, factor);
  return expr.getKind() == AffineExprKind::Mod ? parts.second : parts.first;
}

Lanes PullEvaluator::readGeneric(Operation *op, unsigned result,
                                 llvm::ArrayRef<Lanes> at, Value mask) {
  auto generic = cast<linalg::GenericOp>(op);
  AffineMap out =
      generic.getIndexingMapsArray()[generic.getNumDpsInputs() + result];
  Type element = elementOf(generic.getResult(result));
  if (generic.getNumReductionLoops() || !out.isPermutation())
    return unsupported(op, element);
  llvm::SmallVector<Lanes> iteration(out.getNumDims());
  for (auto [axis, index] : llvm::enumerate(at))
    iteration[out.getDimPosition(axis)] = index;
  llvm::SmallVector<Lanes> arguments;
  for (auto [operand, map, argument] :
       llvm::zip(op->getOpOperands(), generic.getIndexingMapsArray(),
                 generic.getBody()->getArguments())) {
    if (argument.use_empty()) {
      arguments.push_back(Lanes());
      continue;
    }
    llvm::SmallVector<Lanes> source;
    for (AffineExpr expr : map.getResults())
      source.push_back(affine(expr, iteration));
    arguments.push_back(isa<RankedTensorType>(operand.get().getType())
                            ? read(operand.get(), source, mask)
                            : scalar(operand.get(), mask));
  }
  return evaluateBlock(*generic.getBody(), arguments, iteration, mask)[result];
}

Lanes PullEvaluator::readElementwise(Operation *op, llvm::ArrayRef<Lanes> at,
                                     Value mask) {
  llvm::SmallVector<Lanes> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? read(operand, at, mask)
                           : scalar(operand, mask));
  return evaluateOp(op, operands, mask);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Lanes PullEvaluator::readReshape(Operation *op, llvm::ArrayRef<Lanes> at,
                                 Value mask) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  Value source = op->getOperand(0);
  Value wide = expand ? Value(expand.getResult()) : source;
  auto groups = expand ? expand.getReassociationIndices()
                       : collapse.getReassociationIndices();
  llvm::SmallVector<Lanes> indices(
      cast<RankedTensorType>(source.getType()).getRank(), constant(0));
  for (auto [narrow, group] : llvm::enumerate(groups)) {
    llvm::SmallVector<Value> sizes;
    for (int64_t axis : group)
      sizes.push_back(body.size(wide, axis));
    if (collapse) {
      for (auto [axis, index] :
           llvm::zip(group, delinearize(at[narrow], sizes)))
        indices[axis] = index;
      continue;
    }
    Lanes linear = at[group.front()];
    for (auto [axis, size] : llvm::drop_begin(llvm::zip(group, sizes)))
      linear = add(mul(linear, size), at[axis]);
    linear.inside = true;
    indices[narrow] = linear;
  }
  return read(source, indices, mask);
}

Lanes PullEvaluator::readSlice(Operation *op, llvm::ArrayRef<Lanes> at,
                               Value mask) {
  auto slice = cast<tensor::ExtractSliceOp>(op);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  llvm::SmallVector<Lanes> indices;
  unsigned next = 0;
  for (auto [axis, offset, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getMixedStrides())) {
    Lanes start = scalar(offset, mask);
    Lanes index = start;
    if (!dropped.test(axis))
      index = add(mul(at[next++], scalar(stride, mask).value), start);
    // An offset that data decides may lie anywhere.
    index.inside = isa<Attribute>(offset) ||
                   body.analysis.scalar(cast<Value>(offset)).has_value();
    indices.push_back(clamp(index, body.size(slice.getSource(), axis)));
  }
  return read(slice.getSource(), indices, mask);
}

Lanes PullEvaluator::select(const Lanes &condition,
                            llvm::function_ref<Lanes()> then,
                            llvm::function_ref<Lanes()> otherwise) {
  if (condition.kind != Lanes::Uniform)
    return fromVector(
        k.select(condition.value, vector(then()), vector(otherwise())));
  // Both sides are built as vectors: a branch needs one type.
  auto branch = [&](llvm::function_ref<Lanes()> build) {
    return KernelBuilder::Values{vector(build())};
  };
  // The type is known once the first side is built; build it aside.
  OpBuilder::InsertionGuard guard(k.op());
  Block *before = k.op().getInsertionBlock();
  auto probe = k.op().getInsertionPoint();
  auto block = std::make_unique<Block>();
  k.op().setInsertionPointToStart(block.get());
  KernelBuilder::Values first = branch(then);
  k.op().setInsertionPoint(before, probe);
  KernelBuilder::Values result = k.ifElse(
      condition.value, TypeRange(ValueRange(first)),
      [&] {
        Block *target = k.op().getInsertionBlock();
        target->getOperations().splice(k.op().getInsertionPoint(),
                                       block->getOperations());
        k.op().setInsertionPointToEnd(target);
        return first;
      },
      [&] { return branch(otherwise); });
  llvm::erase_if(
      memo, [&](const Known &known) { return known.block == block.get(); });
  return fromVector(result[0]);
}

Lanes PullEvaluator::readConcat(Operation *op, llvm::ArrayRef<Lanes> at,
                                Value mask) {
  auto concat = cast<tensor::ConcatOp>(op);
  int64_t axis = concat.getDim();
  ValueRange inputs = concat.getInputs();
  Lanes start = constant(0);
  // Elements of input i onwards; `from` is where input i begins.
  std::function<Lanes(unsigned, Lanes, Value)> piece =
      [&](unsigned i, Lanes from, Value inner) -> Lanes {
    llvm::SmallVector<Lanes> indices(at);
    Value minus = k.sub(k.index(0), from.value);
    indices[axis] = add(at[axis], uniform(minus, from.aligned));
    indices[axis].inside = true;
    if (i + 1 == inputs.size())
      return read(inputs[i], indices, inner);
    Value size = body.size(inputs[i], axis);
    std::optional<int64_t> known = getConstantIntValue(size);
    Lanes end = uniform(k.add(from.value, size),
                        from.aligned && known && *known % kernelLanes == 0);
    bool scalarAxis = at[axis].kind == Lanes::Uniform;
    Value before = scalarAxis
                       ? k.less(at[axis].value, end.value)
                       : k.less(vector(at[axis]), k.broadcast(end.value));
    Lanes condition = scalarAxis ? uniform(before) : fromVector(before);
    Value yes = inner, no = inner;
    if (!scalarAxis) {
      yes = andMask(inner, before);
      Value all = arith::ConstantOp::create(
          k.op(), DenseElementsAttr::get(k.vec(k.op().getI1Type()), true));
      no = andMask(inner, arith::XOrIOp::create(k.op(), before, all));
    }
    return select(
        condition, [&] { return read(inputs[i], indices, yes); },
        [&] { return piece(i + 1, end, no); });
  };
  return piece(0, start, mask);
}

/// Reads `source` inside its window at `offsets`, else `otherwise` or `fill`.
Lanes PullEvaluator::readWindow(Value source, Value otherwise,
                                const Lanes &fill,
                                llvm::ArrayRef<OpFoldResult> offsets,
                                llvm::ArrayRef<Lanes> at, Value mask) {
  llvm::SmallVector<Lanes> indices;
  Value inside; // a vector
  for (auto [axis, offset] : llvm::enumerate(offsets)) {
    Value start = scalar(offset, mask).value;
    Lanes index = add(at[axis], uniform(k.sub(k.index(0), start)));
    index.inside = true;
    indices.push_back(index);
    Value lanes = vector(index);
    Value size = k.broadcast(body.size(source, axis));
    // As unsigned numbers negative indices are large.
    Value within = k.cmp(arith::CmpIPredicate::ult, lanes, size);
    inside = inside ? arith::AndIOp::create(k.op(), inside, within) : within;
  }
  // No axis may stay a scalar: a scalar index outside would be read.
  Value reads = andMask(mask, inside);
  for (Lanes &index : indices)
    if (index.kind == Lanes::Uniform)
      index = fromVector(vector(index));
  Lanes value = read(source, indices, reads);
  Lanes other = otherwise ? read(otherwise, at, mask) : fill;
  return fromVector(k.select(inside, vector(value), vector(other)));
}

//===----------------------------------------------------------------------===//
// Ops of the xf dialect
//===----------------------------------------------------------------------===//

Lanes PullEvaluator::readEmbedding(Operation *op, llvm::ArrayRef<Lanes> at,
                                   Value mask) {
  auto embedding = cast<xf::EmbeddingOp>(op);
  llvm::ArrayRef<Lanes> row = at.drop_back();
  Lanes id = read(embedding.getIds(), row, mask);
  Value size = body.size(embedding.getTable(), 0);
  Lanes linear = constant(0);
  for (auto [axis, index] : llvm::enumerate(row))
    linear = add(mul(linear, body.size(embedding.getIds(), axis)), index);
  Type integer = elementOf(embedding.getIds());
  Value bound = k.fromIndex(size, k.i64());
  auto check = [&](Value number, Value position, Value active) {
    Value wide = integer.isInteger(64)
                     ? number
                     : arith::ExtSIOp::create(k.op(), k.i64(), number);
    Value bad = k.cmp(arith::CmpIPredicate::uge, wide, bound);
    if (active)
      bad = arith::AndIOp::create(k.op(), bad, active);
    k.ifThen(bad, [&] {
      k.recordError(embedding.getSite(), k.fromIndex(position, k.i64()), wide,
                    bound);
    });
  };
  Lanes index;
  if (id.kind == Lanes::Uniform) {
    check(id.value, linear.value, Value());
    index = uniform(k.toIndex(id.value));
  } else {
    Value ids = vector(id), positions = vector(linear);
    for (int64_t lane = 0; lane < kernelLanes; ++lane)
      check(k.extract(ids, lane), k.extract(positions, lane),
            mask ? k.extract(mask, lane) : Value());
    index = fromVector(
        arith::IndexCastOp::create(k.op(), k.vec(k.indexType()), ids));
  }
  llvm::SmallVector<Lanes> cell = {clamp(index, size), at.back()};
  Lanes value = read(embedding.getTable(), cell, mask);
  double scale = embedding.getScale().convertToDouble();
  if (scale == 1.0)
    return value;
  if (!elementOf(embedding.getTable()).isF32())
    return unsupported(op, elementOf(embedding.getTable()));
  return fromVector(k.mulF(vector(value), k.splat(scale)));
}

Lanes PullEvaluator::readActivation(Operation *op, llvm::ArrayRef<Lanes> at,
                                    Value mask) {
  Value x = op->getOperand(0);
  if (!elementOf(x).isF32())
    return unsupported(op, elementOf(x));
  auto glu = dyn_cast<xf::GluOp>(op);
  if (!glu) {
    Value value = readVector(x, at, mask);
    auto gelu = dyn_cast<xf::GeluOp>(op);
    if (!gelu)
      return fromVector(emitSilu(k, value));
    return fromVector(gelu.getKind() == "erf" ? emitGelu(k, value)
                                              : emitGeluTanh(k, value));
  }
  int64_t axis =
      glu.getAxis() < 0 ? glu.getAxis() + int64_t(at.size()) : glu.getAxis();
  Value half = body.size(glu.getResult(), axis);
  llvm::SmallVector<Lanes> second(at);
  second[axis] = add(at[axis], uniform(half));
  second[axis].inside = true;
  Value first = readVector(x, at, mask);
  Value other = readVector(x, second, mask);
  Value value = glu.getGateFirst() ? other : first;
  Value gate = glu.getGateFirst() ? first : other;
  if (glu.getGate() == "sigmoid")
    gate = emitSigmoid(k, gate);
  else if (glu.getGate() == "silu")
    gate = emitSilu(k, gate);
  else if (glu.getGate() == "gelu")
    gate = emitGelu(k, gate);
  return fromVector(k.mulF(value, gate));
}
