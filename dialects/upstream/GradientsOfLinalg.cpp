//===- GradientsOfLinalg.cpp - Reverse mode of loops over scalars ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/upstream/GradientParts.h"
#include "dialects/upstream/MathDerivatives.h"
#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::AffineMap;
using mlir::Operation;
using mlir::Value;
namespace arith = mlir::arith;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What stands in loops: from the scalars of the inputs one scalar, or null for
/// zero. Loop n of the inputs' maps is now loop `position[n]`. Scalars that the
/// body does not ask for may be null.
using LoopBody = llvm::function_ref<llvm::FailureOr<Value>(
    ScalarBuilder &, llvm::ArrayRef<Value>, llvm::ArrayRef<unsigned>)>;

namespace {

/// The loops in a new order: those of a tensor's axes first.
struct LoopOrder {
  llvm::SmallVector<unsigned> position;
  unsigned kept = 0;

  LoopOrder(AffineMap map) : position(map.getNumDims()) {
    llvm::SmallVector<bool> named(map.getNumDims());
    auto place = [&](unsigned loop) { position[loop] = kept++; };
    for (mlir::AffineExpr expr : map.getResults())
      if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr)) {
        named[dim.getPosition()] = true;
        place(dim.getPosition());
      }
    unsigned next = kept;
    for (unsigned loop = 0; loop < position.size(); ++loop)
      if (!named[loop])
        position[loop] = next++;
  }

  AffineMap renumber(AffineMap map) const {
    llvm::SmallVector<mlir::AffineExpr> dims;
    for (unsigned at : position)
      dims.push_back(mlir::getAffineDimExpr(at, map.getContext()));
    return map.replaceDimsAndSymbols(dims, {}, position.size(), 0);
  }
};

/// What a trial of the body in a block of its own tells.
struct Trial {
  bool zero = false;
  std::optional<unsigned> passed; ///< the input that is the result
  llvm::SmallVector<bool> used;
};

} // namespace

static mlir::Type scalarType(Value value) {
  return mlir::getElementTypeOrSelf(value.getType());
}

static llvm::FailureOr<Trial> tryBody(TensorBuilder &tensors,
                                      llvm::ArrayRef<GenericInput> inputs,
                                      const LoopOrder &order, LoopBody body) {
  mlir::Block block;
  llvm::SmallVector<Value> scalars;
  for (const GenericInput &input : inputs)
    scalars.push_back(block.addArgument(scalarType(input.tensor), tensors.loc));
  mlir::OpBuilder builder(tensors.builder.getContext());
  builder.setInsertionPointToEnd(&block);
  ScalarBuilder scalar(builder, tensors.loc);
  llvm::FailureOr<Value> value = body(scalar, scalars, order.position);
  if (failed(value))
    return mlir::failure();
  Trial trial;
  trial.zero = !*value;
  for (auto [number, argument] : llvm::enumerate(block.getArguments())) {
    trial.used.push_back(!argument.use_empty() || *value == argument);
    if (*value == argument)
      trial.passed = number;
  }
  return trial;
}

/// Marks further inputs as used until every loop numbers an axis.
static void coverLoops(llvm::ArrayRef<AffineMap> maps, unsigned kept,
                       llvm::MutableArrayRef<bool> used) {
  unsigned loops = maps.empty() ? 0 : maps.front().getNumDims();
  for (unsigned loop = kept; loop < loops; ++loop) {
    auto names = [&](AffineMap map) { return map.isFunctionOfDim(loop); };
    auto covers = [&](unsigned i) { return used[i] && names(maps[i]); };
    if (llvm::any_of(llvm::seq<unsigned>(0, maps.size()), covers))
      continue;
    for (auto [i, map] : llvm::enumerate(maps))
      if (names(map)) {
        used[i] = true;
        break;
      }
  }
}

/// `value` with the axes of size 1 that `map` holds as constants.
static Value withUnitAxes(TensorBuilder &tensors, Value value, AffineMap map,
                          Value target) {
  mlir::RankedTensorType type = tensorType(target);
  if (type.getRank() == tensorType(value).getRank())
    return tensors.ofType(value, type);
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<mlir::ReassociationIndices> groups(
      tensorType(value).getRank());
  int64_t group = -1;
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    bool unit = !llvm::isa<mlir::AffineDimExpr>(expr);
    if (!unit)
      ++group;
    int64_t inner = std::max<int64_t>(group, 0);
    shape.push_back(unit ? 1 : tensorType(value).getDimSize(group));
    sizes.push_back(unit ? mlir::OpFoldResult(tensors.builder.getIndexAttr(1))
                         : tensors.size(value, group));
    if (!groups.empty())
      groups[inner].push_back(axis);
  }
  Value expanded = mlir::tensor::ExpandShapeOp::create(
      tensors.builder, tensors.loc,
      mlir::RankedTensorType::get(shape, type.getElementType()), value, groups,
      sizes);
  return tensors.ofType(expanded, type);
}

/// A tensor of the type of `target`, which `map` names in loops: the sum over
/// the loops that it does not name of what the body gives. Null for zero.
static llvm::FailureOr<Value> sumOverLoops(TensorBuilder &tensors,
                                           llvm::ArrayRef<GenericInput> inputs,
                                           Value target, AffineMap map,
                                           LoopBody body) {
  LoopOrder order(map);
  llvm::FailureOr<Trial> trial = tryBody(tensors, inputs, order, body);
  if (failed(trial))
    return mlir::failure();
  if (trial->zero)
    return Value();
  llvm::SmallVector<AffineMap> maps;
  for (const GenericInput &input : inputs)
    maps.push_back(order.renumber(input.map));
  unsigned reduced = map.getNumDims() - order.kept;
  if (trial->passed && reduced == 0 && maps[*trial->passed].isIdentity())
    return withUnitAxes(tensors, inputs[*trial->passed].tensor, map, target);
  coverLoops(maps, order.kept, trial->used);

  llvm::SmallVector<GenericInput> read;
  for (auto [number, input] : llvm::enumerate(inputs))
    if (trial->used[number])
      read.push_back({input.tensor, maps[number]});
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  for (auto [axis, expr] : llvm::enumerate(map.getResults()))
    if (llvm::isa<mlir::AffineDimExpr>(expr))
      sizes.push_back(tensors.size(target, axis));
  auto evaluate = [&](ScalarBuilder &scalar, mlir::ValueRange in) {
    llvm::SmallVector<Value> scalars(inputs.size());
    unsigned next = 0;
    for (auto [number, used] : llvm::enumerate(trial->used))
      if (used)
        scalars[number] = in[next++];
    return *body(scalar, scalars, order.position);
  };
  mlir::Type element = scalarType(target);
  if (reduced == 0)
    return withUnitAxes(tensors,
                        tensors.elementwise(read, sizes, element, evaluate),
                        map, target);
  mlir::Type acc = accumulatorType(element);
  sizes.append(reduced, tensors.builder.getIndexAttr(1));
  Value sum =
      tensors.reduce(read, sizes, reduced, acc, 0.0,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       Value term = evaluate(scalar, in.drop_back());
                       return scalar.add(in.back(), scalar.cast(term, acc));
                     });
  return withUnitAxes(tensors, tensors.cast(sum, element), map, target);
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

namespace {

/// The gradient of one linalg op. Inputs of all loops: the op's operands, then
/// the cotangents that are not null, then (of an extremum) the result and how
/// often it stands in what was reduced.
class LinalgGradient {
public:
  LinalgGradient(mlir::linalg::LinalgOp op, mlir::OpBuilder &builder,
                 mlir::ValueRange cotangents)
      : op(op), block(*op.getBlock()), tensors(builder, op.getLoc()),
        cotangents(cotangents), maps(op.getIndexingMapsArray()) {}

  Gradients build(llvm::ArrayRef<bool> wanted);

private:
  mlir::LogicalResult prepare();
  mlir::LogicalResult prepareReduction();
  bool isSum();
  void findExtremum();
  /// 1 if the term of an extremum is the result, as i1.
  Value isExtremum(ScalarBuilder &scalar, mlir::IRMapping &mapping,
                   Value result);
  /// Maps the block's arguments and loop numbers for one body.
  void map(ScalarBuilder &scalar, mlir::IRMapping &mapping,
           llvm::ArrayRef<Value> scalars, llvm::ArrayRef<unsigned> position);
  llvm::FailureOr<BlockDerivative> derive(ScalarBuilder &scalar,
                                          llvm::ArrayRef<Value> scalars,
                                          llvm::ArrayRef<unsigned> position);
  llvm::FailureOr<Value> gradientOfOperand(unsigned number);

  mlir::linalg::LinalgOp op;
  mlir::Block &block;
  TensorBuilder tensors;
  mlir::ValueRange cotangents;
  llvm::SmallVector<AffineMap> maps;
  llvm::SmallVector<GenericInput> inputs;
  llvm::SmallVector<Value> seeds; ///< values of the block with cotangents
  Value reducedTerm;              ///< of an extremum
  Value reducedGuard; ///< null, or where false the term takes no part
};

} // namespace

void LinalgGradient::map(ScalarBuilder &scalar, mlir::IRMapping &mapping,
                         llvm::ArrayRef<Value> scalars,
                         llvm::ArrayRef<unsigned> position) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), scalars))
    if (value)
      mapping.map(argument, value);
  for (auto index : block.getOps<mlir::linalg::IndexOp>())
    mapping.map(index.getResult(), scalar.loop(position[index.getDim()]));
}

llvm::FailureOr<BlockDerivative>
LinalgGradient::derive(ScalarBuilder &scalar, llvm::ArrayRef<Value> scalars,
                       llvm::ArrayRef<unsigned> position) {
  mlir::IRMapping mapping;
  map(scalar, mapping, scalars, position);
  llvm::SmallVector<Value> factors(
      scalars.slice(block.getNumArguments(), seeds.size()));
  if (reducedTerm) { // all that equal the extremum share its cotangent
    Value result = scalars[scalars.size() - 2], count = scalars.back();
    factors[0] = scalar.select(isExtremum(scalar, mapping, result),
                               scalar.divide(factors[0], count),
                               scalar.constant(count.getType(), 0.0));
  }
  llvm::FailureOr<BlockDerivative> derivative =
      buildBlockDerivative(scalar.builder, block, mapping, seeds, factors);
  for (auto index : block.getOps<mlir::linalg::IndexOp>())
    if (Value made = mapping.lookup(index.getResult()); made.use_empty())
      made.getDefiningOp()->erase();
  return derivative;
}

/// True if the block adds something to its accumulator.
bool LinalgGradient::isSum() {
  mlir::Block scratch;
  mlir::IRMapping mapping;
  for (mlir::BlockArgument argument : block.getArguments())
    mapping.map(argument, scratch.addArgument(argument.getType(), op.getLoc()));
  Value sum = scratch.getArguments().back();
  Value cotangent = scratch.addArgument(sum.getType(), op.getLoc());
  mlir::OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&scratch);
  ScalarBuilder scalar(builder, op.getLoc());
  for (auto index : block.getOps<mlir::linalg::IndexOp>())
    mapping.map(index.getResult(), scalar.index(0));
  llvm::FailureOr<BlockDerivative> derivative = buildBlockDerivative(
      builder, block, mapping, block.getTerminator()->getOperands(), cotangent);
  return succeeded(derivative) && derivative->arguments.back() == cotangent &&
         sum.use_empty();
}

/// Finds the value whose maximum or minimum with the accumulator the block
/// gives, perhaps under a condition.
void LinalgGradient::findExtremum() {
  Value sum = block.getArguments().back();
  Operation *last = block.getTerminator()->getOperand(0).getDefiningOp();
  if (!last)
    return;
  Value a, b, guard;
  if (llvm::isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
                arith::MinNumFOp>(last)) {
    a = last->getOperand(0);
    b = last->getOperand(1);
  } else if (auto select = llvm::dyn_cast<arith::SelectOp>(last)) {
    a = select.getTrueValue();
    b = select.getFalseValue();
    Value condition = select.getCondition();
    if (auto both = condition.getDefiningOp<arith::AndIOp>();
        both && b == sum) {
      condition = both.getLhs();
      guard = both.getRhs();
    }
    auto compare = condition.getDefiningOp<arith::CmpFOp>();
    bool fits = compare && ((compare.getLhs() == a && compare.getRhs() == b) ||
                            (compare.getLhs() == b && compare.getRhs() == a));
    using P = arith::CmpFPredicate;
    if (!fits || !llvm::is_contained({P::OGT, P::OGE, P::OLT, P::OLE, P::UGT,
                                      P::UGE, P::ULT, P::ULE},
                                     compare.getPredicate()))
      return;
  }
  if (!a || (a == sum) == (b == sum))
    return;
  reducedTerm = a == sum ? b : a;
  reducedGuard = guard;
}

Value LinalgGradient::isExtremum(ScalarBuilder &scalar,
                                 mlir::IRMapping &mapping, Value result) {
  Value term = repeatBlockValue(scalar.builder, block, mapping, reducedTerm);
  Value equal = scalar.equal(term, result);
  if (!reducedGuard)
    return equal;
  return scalar.both(
      equal, repeatBlockValue(scalar.builder, block, mapping, reducedGuard));
}

mlir::LogicalResult LinalgGradient::prepareReduction() {
  if (op->getNumResults() != 1)
    return op.emitOpError("has no gradient: expected one reduction, found ")
           << op->getNumResults();
  findExtremum();
  if (!reducedTerm) {
    if (isSum())
      return mlir::success();
    return op.emitOpError("has no gradient: expected a sum, a maximum or a "
                          "minimum over the reduced loops");
  }
  Value result = op->getResult(0);
  inputs.push_back({result, maps.back()});
  llvm::FailureOr<Value> count = sumOverLoops(
      tensors, inputs, result, maps.back(),
      [&](ScalarBuilder &scalar, llvm::ArrayRef<Value> scalars,
          llvm::ArrayRef<unsigned> position) -> llvm::FailureOr<Value> {
        mlir::IRMapping mapping;
        map(scalar, mapping, scalars, position);
        return scalar.select(isExtremum(scalar, mapping, scalars.back()),
                             scalar.constant(scalars.back().getType(), 1.0),
                             scalar.constant(scalars.back().getType(), 0.0));
      });
  if (failed(count))
    return mlir::failure();
  inputs.push_back({*count, maps.back()});
  seeds.assign({reducedTerm});
  return mlir::success();
}

mlir::LogicalResult LinalgGradient::prepare() {
  for (auto [operand, map] : llvm::zip(op->getOpOperands(), maps)) {
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return op.emitOpError("has no gradient: expected an indexing map that "
                            "picks loops, found ")
             << mlir::AffineMapAttr::get(map);
    inputs.push_back({operand.get(), map});
  }
  unsigned first = op.getNumDpsInputs();
  for (auto [number, cotangent] : llvm::enumerate(cotangents))
    if (cotangent) {
      inputs.push_back({cotangent, maps[first + number]});
      seeds.push_back(block.getTerminator()->getOperand(number));
    }
  return op.getNumReductionLoops() ? prepareReduction() : mlir::success();
}

llvm::FailureOr<Value> LinalgGradient::gradientOfOperand(unsigned number) {
  Value operand = op->getOperand(number);
  if (op.getNumReductionLoops() && number >= op.getNumDpsInputs()) {
    if (!reducedTerm)
      return cotangents[0]; // the start of a sum
    op.emitOpError("has no gradient of where the extremum starts");
    return mlir::failure();
  }
  for (auto [axis, expr] : llvm::enumerate(maps[number].getResults()))
    if (!llvm::isa<mlir::AffineDimExpr>(expr) &&
        tensorType(operand).getDimSize(axis) != 1) {
      op.emitOpError("has no gradient: expected axis ")
          << axis << " of operand " << number << " of size 1, found "
          << operand.getType();
      return mlir::failure();
    }
  return sumOverLoops(
      tensors, inputs, operand, maps[number],
      [&](ScalarBuilder &scalar, llvm::ArrayRef<Value> scalars,
          llvm::ArrayRef<unsigned> position) -> llvm::FailureOr<Value> {
        llvm::FailureOr<BlockDerivative> derivative =
            derive(scalar, scalars, position);
        if (failed(derivative))
          return mlir::failure();
        return derivative->arguments[number];
      });
}

Gradients LinalgGradient::build(llvm::ArrayRef<bool> wanted) {
  if (failed(prepare()))
    return mlir::failure();
  llvm::SmallVector<Value> gradients(wanted.size());
  for (auto [number, flag] : llvm::enumerate(wanted)) {
    if (!flag)
      continue;
    llvm::FailureOr<Value> gradient = gradientOfOperand(number);
    if (failed(gradient))
      return mlir::failure();
    gradients[number] = *gradient;
  }
  return gradients;
}

Gradients dragoman::gradientOfLinalg(mlir::linalg::LinalgOp op,
                                     mlir::OpBuilder &builder,
                                     mlir::ValueRange cotangents,
                                     llvm::ArrayRef<bool> wanted) {
  return LinalgGradient(op, builder, cotangents).build(wanted);
}

//===----------------------------------------------------------------------===//
// arith and math on tensors
//===----------------------------------------------------------------------===//

/// The op on scalars.
static Value scalarForm(mlir::OpBuilder &builder, Operation *op,
                        llvm::ArrayRef<Value> operands) {
  mlir::OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(scalarType(op->getResult(0)));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return builder.create(state)->getResult(0);
}

Gradients dragoman::gradientOfElementwise(Operation *op,
                                          mlir::OpBuilder &builder,
                                          mlir::ValueRange cotangents,
                                          llvm::ArrayRef<bool> wanted) {
  TensorBuilder tensors(builder, op->getLoc());
  unsigned rank = tensorType(op->getResult(0)).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  llvm::SmallVector<GenericInput> inputs;
  for (Value operand : op->getOperands())
    inputs.push_back(
        {operand, llvm::isa<mlir::RankedTensorType>(operand.getType())
                      ? identity
                      : AffineMap::get(rank, 0, builder.getContext())});
  inputs.push_back({cotangents[0], identity});
  llvm::SmallVector<Value> gradients(wanted.size());
  for (auto [number, flag] : llvm::enumerate(wanted)) {
    if (!flag)
      continue;
    auto body = [&, number = unsigned(number)](
                    ScalarBuilder &scalar, llvm::ArrayRef<Value> scalars,
                    llvm::ArrayRef<unsigned>) -> llvm::FailureOr<Value> {
      auto operand = [&](unsigned other) { return scalars[other]; };
      auto result = [&] {
        return scalarForm(scalar.builder, op, scalars.drop_back());
      };
      ScalarDerivative at{scalar.builder, op->getLoc(), scalars.back(), operand,
                          result};
      return buildScalarDerivative(op, number, at);
    };
    llvm::FailureOr<Value> gradient =
        sumOverLoops(tensors, inputs, op->getOperand(number), identity, body);
    if (failed(gradient))
      return mlir::failure();
    gradients[number] = *gradient;
  }
  return gradients;
}
