//===- EvalLinalg.cpp - linalg ops of the closed list ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Evaluator.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dragoman::interpret {

namespace {

/// One operand of a structured op: its storage and how loops walk it.
struct Walk {
  const double *floats = nullptr;
  const int64_t *integers = nullptr;
  mlir::AffineMap map;
  std::vector<int64_t> strides;                    ///< of the tensor's axes
  std::optional<std::vector<int64_t>> loopStrides; ///< if the map is linear
  int64_t constant = 0; ///< linear part without loops
  int64_t position = 0;

  void locate(llvm::ArrayRef<int64_t> index) {
    position = constant;
    if (loopStrides) {
      for (size_t loop = 0; loop < index.size(); ++loop)
        position += (*loopStrides)[loop] * index[loop];
      return;
    }
    position = 0;
    for (auto [axis, at] : llvm::enumerate(map.compose(index)))
      position += at * strides[axis];
  }
};

/// Adds the coefficients of `expr` times `factor`; false if it is not linear.
bool addLinear(mlir::AffineExpr expr, int64_t factor,
               std::vector<int64_t> &loops, int64_t &constant) {
  if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr)) {
    loops[dim.getPosition()] += factor;
    return true;
  }
  if (auto number = llvm::dyn_cast<mlir::AffineConstantExpr>(expr)) {
    constant += factor * number.getValue();
    return true;
  }
  auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == mlir::AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, loops, constant) &&
           addLinear(binary.getRHS(), factor, loops, constant);
  auto number = llvm::dyn_cast<mlir::AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == mlir::AffineExprKind::Mul && number)
    return addLinear(binary.getLHS(), factor * number.getValue(), loops,
                     constant);
  return false;
}

Walk makeWalk(const Tensor &tensor, mlir::AffineMap map) {
  Walk walk;
  if (tensor.isFloat())
    walk.floats = tensor.floats();
  else
    walk.integers = tensor.integers();
  walk.map = map;
  walk.strides = tensor.strides();
  std::vector<int64_t> loops(map.getNumDims());
  bool linear = true;
  for (auto [axis, expr] : llvm::enumerate(map.getResults()))
    linear =
        linear && addLinear(expr, walk.strides[axis], loops, walk.constant);
  if (linear)
    walk.loopStrides = std::move(loops);
  return walk;
}

/// The sizes of the loops, each from the first axis that names it alone; an
/// error if another axis disagrees.
Result<std::vector<int64_t>> loopSizes(mlir::linalg::LinalgOp op,
                                       Frame &frame) {
  std::vector<int64_t> sizes(op.getNumLoops(), -1);
  for (bool check : {false, true})
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      mlir::AffineMap map = op.getMatchingIndexingMap(&operand);
      const Tensor &tensor = frame.get(operand.get());
      for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
        auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(expr);
        if (!dim)
          continue;
        int64_t &size = sizes[dim.getPosition()];
        if (!check && size < 0)
          size = tensor.dim(axis);
        if (check && size != tensor.dim(axis))
          return Status(StatusCode::InvalidArgument,
                        "expected loop " + std::to_string(dim.getPosition()) +
                            " of one size, found " + std::to_string(size) +
                            " and " + std::to_string(tensor.dim(axis)) +
                            " in operand " +
                            std::to_string(operand.getOperandNumber()));
      }
    }
  for (auto [loop, size] : llvm::enumerate(sizes))
    if (size < 0)
      return Status(StatusCode::Unsupported,
                    "expected an operand axis for loop " +
                        std::to_string(loop));
  return sizes;
}

Status evalStructured(Evaluator &evaluator, Frame &frame, mlir::Operation *op) {
  auto linalg = llvm::cast<mlir::linalg::LinalgOp>(op);
  Result<std::vector<int64_t>> sizes = loopSizes(linalg, frame);
  if (!sizes)
    return sizes.status();
  Result<ScalarProgram *> compiled =
      evaluator.program(frame, *linalg.getBlock());
  if (!compiled)
    return compiled.status();
  ScalarProgram &program = **compiled;

  std::vector<Tensor> results;
  for (mlir::Value init : linalg.getDpsInits())
    results.push_back(frame.get(init));
  std::vector<Walk> walks;
  for (mlir::OpOperand &operand : op->getOpOperands())
    walks.push_back(makeWalk(frame.get(operand.get()),
                             linalg.getMatchingIndexingMap(&operand)));
  unsigned inputs = linalg.getNumDpsInputs();
  std::vector<std::pair<double *, int64_t *>> outputs;
  for (auto [number, result] : llvm::enumerate(results)) {
    Walk &walk = walks[inputs + number];
    outputs.push_back({});
    if (result.isFloat())
      walk.floats = outputs.back().first = result.mutableFloats();
    else
      walk.integers = outputs.back().second = result.mutableIntegers();
  }

  int64_t count = 1;
  for (int64_t size : *sizes)
    count *= size;
  std::vector<int64_t> index(sizes->size());
  for (int64_t i = 0; i < count; ++i) {
    Cell *arguments = program.arguments();
    for (auto [number, walk] : llvm::enumerate(walks)) {
      walk.locate(index);
      if (walk.floats)
        arguments[number].f = walk.floats[walk.position];
      else
        arguments[number].i = walk.integers[walk.position];
    }
    program.run(index.data());
    for (auto [number, output] : llvm::enumerate(outputs)) {
      int64_t position = walks[inputs + number].position;
      if (output.first)
        output.first[position] = program.result(number).f;
      else
        output.second[position] = program.result(number).i;
    }
    for (size_t loop = sizes->size(); loop-- > 0;) {
      if (++index[loop] < (*sizes)[loop])
        break;
      index[loop] = 0;
    }
  }
  DRAGOMAN_RETURN_IF_ERROR(program.status());
  for (auto [number, result] : llvm::enumerate(results))
    DRAGOMAN_RETURN_IF_ERROR(
        evaluator.define(frame, op, number, std::move(result)));
  return Status::ok();
}

/// linalg.fill has a scalar input, which takes part in no loop.
Status evalFill(Evaluator &evaluator, Frame &frame, mlir::Operation *op) {
  auto fill = llvm::cast<mlir::linalg::FillOp>(op);
  const Tensor &value = frame.get(fill.value());
  Tensor result(frame.get(fill.output()).element(),
                frame.get(fill.output()).shape());
  if (result.isFloat())
    std::fill_n(result.mutableFloats(), result.elements(), value.at(0));
  else
    std::fill_n(result.mutableIntegers(), result.elements(),
                value.integers()[0]);
  return evaluator.define(frame, op, 0, std::move(result));
}

} // namespace

void registerLinalgOps(Evaluator::HandlerTable &handlers) {
  handlers["linalg.broadcast"] = evalStructured;
  handlers["linalg.fill"] = evalFill;
  handlers["linalg.generic"] = evalStructured;
  handlers["linalg.reduce"] = evalStructured;
  handlers["linalg.transpose"] = evalStructured;
}

} // namespace dragoman::interpret
