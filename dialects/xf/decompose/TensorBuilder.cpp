//===- TensorBuilder.cpp - Builds linalg.generic for decompositions -------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/TensorBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <limits>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;
namespace arith = mlir::arith;
namespace math = mlir::math;

Value ScalarBuilder::constant(mlir::Type type, double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}
Value ScalarBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value ScalarBuilder::loop(unsigned number) {
  return mlir::linalg::IndexOp::create(builder, loc, number);
}
Value ScalarBuilder::add(Value a, Value b) {
  return arith::AddFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::subtract(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::multiply(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::divide(Value a, Value b) {
  return arith::DivFOp::create(builder, loc, a, b);
}
Value ScalarBuilder::exp(Value a) {
  return math::ExpOp::create(builder, loc, a);
}
Value ScalarBuilder::log(Value a) {
  return math::LogOp::create(builder, loc, a);
}
Value ScalarBuilder::sqrt(Value a) {
  return math::SqrtOp::create(builder, loc, a);
}
Value ScalarBuilder::tanh(Value a) {
  return math::TanhOp::create(builder, loc, a);
}
Value ScalarBuilder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, condition, a, b);
}
Value ScalarBuilder::both(Value a, Value b) {
  return arith::AndIOp::create(builder, loc, a, b);
}
Value ScalarBuilder::equal(Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
}
Value ScalarBuilder::greater(Value a, Value b) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
}
Value ScalarBuilder::less(Value a, Value b) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, a, b);
}

Value ScalarBuilder::cast(Value a, mlir::Type type) {
  unsigned from = a.getType().getIntOrFloatBitWidth(),
           to = type.getIntOrFloatBitWidth();
  if (a.getType() == type)
    return a;
  if (from < to)
    return arith::ExtFOp::create(builder, loc, type, a);
  return arith::TruncFOp::create(builder, loc, type, a);
}

Value ScalarBuilder::extract(Value tensor, mlir::ValueRange indices) {
  return mlir::tensor::ExtractOp::create(builder, loc, tensor, indices);
}

Value ScalarBuilder::extractIndex(Value tensor, mlir::ValueRange indices) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    extract(tensor, indices));
}

Value ScalarBuilder::clamp(Value value, Value size) {
  Value last = arith::SubIOp::create(builder, loc, size, index(1));
  Value low = arith::MaxSIOp::create(builder, loc, value, index(0));
  return arith::MinSIOp::create(builder, loc, low, last);
}

Value ScalarBuilder::activation(llvm::StringRef name, Value x) {
  auto number = [&](double value) { return constant(x.getType(), value); };
  auto onePlusExpOfMinus = [&] {
    return add(number(1.0), exp(arith::NegFOp::create(builder, loc, x)));
  };
  if (name == "none" || name == "identity")
    return x;
  if (name == "relu") {
    Value zero = number(0.0);
    return select(greater(zero, x), zero, x);
  }
  if (name == "gelu") {
    Value erf =
        math::ErfOp::create(builder, loc, multiply(x, number(M_SQRT1_2)));
    return multiply(multiply(number(0.5), x), add(number(1.0), erf));
  }
  if (name == "gelu_tanh") {
    Value cube = multiply(multiply(x, x), x);
    Value inner = multiply(number(std::sqrt(M_2_PI)),
                           add(x, multiply(number(0.044715), cube)));
    return multiply(multiply(number(0.5), x), add(number(1.0), tanh(inner)));
  }
  if (name == "silu")
    return divide(x, onePlusExpOfMinus());
  if (name == "sigmoid")
    return divide(number(1.0), onePlusExpOfMinus());
  assert(name == "tanh" && "a legal activation");
  return tanh(x);
}

mlir::OpFoldResult TensorBuilder::size(Value tensor, unsigned axis) {
  int64_t size = tensorType(tensor).getDimSize(axis);
  if (!mlir::ShapedType::isDynamic(size))
    return builder.getIndexAttr(size);
  return mlir::tensor::DimOp::create(builder, loc, tensor, axis).getResult();
}

llvm::SmallVector<mlir::OpFoldResult> TensorBuilder::sizes(Value tensor) {
  llvm::SmallVector<mlir::OpFoldResult> result;
  for (int64_t axis = 0; axis < tensorType(tensor).getRank(); ++axis)
    result.push_back(size(tensor, axis));
  return result;
}

Value TensorBuilder::asIndex(mlir::OpFoldResult size) {
  return mlir::getValueOrCreateConstantIndexOp(builder, loc, size);
}

GenericInput TensorBuilder::broadcast(Value tensor) {
  mlir::RankedTensorType type = tensorType(tensor);
  llvm::SmallVector<mlir::AffineExpr> exprs;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    exprs.push_back(type.getDimSize(axis) == 1
                        ? builder.getAffineConstantExpr(0)
                        : builder.getAffineDimExpr(axis));
  return {tensor,
          mlir::AffineMap::get(type.getRank(), 0, exprs, builder.getContext())};
}

GenericInput TensorBuilder::onLoops(Value tensor,
                                    llvm::ArrayRef<unsigned> loops,
                                    unsigned loopCount) {
  llvm::SmallVector<mlir::AffineExpr> exprs;
  for (unsigned loop : loops)
    exprs.push_back(builder.getAffineDimExpr(loop));
  return {tensor,
          mlir::AffineMap::get(loopCount, 0, exprs, builder.getContext())};
}

Value TensorBuilder::generic(llvm::ArrayRef<GenericInput> inputs, Value init,
                             unsigned loops, unsigned reduced, bool accumulate,
                             GenericBody body) {
  llvm::SmallVector<Value> tensors;
  llvm::SmallVector<mlir::AffineMap> maps;
  for (const GenericInput &input : inputs) {
    assert(input.map.getNumDims() == loops && "maps are over all loops");
    tensors.push_back(input.tensor);
    maps.push_back(input.map);
  }
  maps.push_back(onLoops(init, axisRange(0, loops - reduced), loops).map);
  llvm::SmallVector<mlir::utils::IteratorType> iterators(
      loops, mlir::utils::IteratorType::parallel);
  for (unsigned loop = loops - reduced; loop < loops; ++loop)
    iterators[loop] = mlir::utils::IteratorType::reduction;
  auto op = mlir::linalg::GenericOp::create(
      builder, loc, init.getType(), tensors, init, maps, iterators,
      [&](mlir::OpBuilder &inner, mlir::Location at, mlir::ValueRange scalars) {
        ScalarBuilder scalar(inner, at);
        Value result = body(scalar, accumulate ? scalars : scalars.drop_back());
        mlir::linalg::YieldOp::create(inner, at, result);
      });
  return op.getResult(0);
}

Value TensorBuilder::elementwise(llvm::ArrayRef<GenericInput> inputs,
                                 llvm::ArrayRef<mlir::OpFoldResult> sizes,
                                 mlir::Type element, GenericBody body) {
  Value init = mlir::tensor::EmptyOp::create(builder, loc, sizes, element);
  return generic(inputs, init, sizes.size(), 0, false, body);
}

Value TensorBuilder::reduce(llvm::ArrayRef<GenericInput> inputs,
                            llvm::ArrayRef<mlir::OpFoldResult> sizes,
                            unsigned reduced, mlir::Type element, double init,
                            GenericBody body) {
  Value empty = mlir::tensor::EmptyOp::create(
      builder, loc, sizes.drop_back(reduced), element);
  Value start = ScalarBuilder(builder, loc).constant(element, init);
  Value filled =
      mlir::linalg::FillOp::create(builder, loc, start, empty).getResult(0);
  return generic(inputs, filled, sizes.size(), reduced, true, body);
}

Value TensorBuilder::sumRows(llvm::ArrayRef<GenericInput> inputs,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes,
                             unsigned kept, mlir::Type element,
                             GenericBody term) {
  unsigned loops = sizes.size(), rows = loops - kept;
  Value empty = mlir::tensor::EmptyOp::create(builder, loc,
                                              sizes.take_back(kept), element);
  Value zero = ScalarBuilder(builder, loc).constant(element, 0);
  Value filled =
      mlir::linalg::FillOp::create(builder, loc, zero, empty).getResult(0);
  llvm::SmallVector<Value> tensors;
  llvm::SmallVector<mlir::AffineMap> maps;
  for (const GenericInput &input : inputs) {
    tensors.push_back(input.tensor);
    maps.push_back(input.map);
  }
  maps.push_back(
      mlir::AffineMap::getMultiDimIdentityMap(loops, builder.getContext())
          .getMinorSubMap(kept));
  llvm::SmallVector<mlir::utils::IteratorType> iterators(
      loops, mlir::utils::IteratorType::reduction);
  std::fill(iterators.begin() + rows, iterators.end(),
            mlir::utils::IteratorType::parallel);
  auto op = mlir::linalg::GenericOp::create(
      builder, loc, filled.getType(), tensors, filled, maps, iterators,
      [&](mlir::OpBuilder &inner, mlir::Location at, mlir::ValueRange scalars) {
        ScalarBuilder scalar(inner, at);
        Value sum =
            scalar.add(scalars.back(), term(scalar, scalars.drop_back()));
        mlir::linalg::YieldOp::create(inner, at, sum);
      });
  return op.getResult(0);
}

Value TensorBuilder::cast(Value tensor, mlir::Type element) {
  if (tensorType(tensor).getElementType() == element)
    return tensor;
  return elementwise(
      {{tensor, builder.getMultiDimIdentityMap(tensorType(tensor).getRank())}},
      sizes(tensor), element, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return scalar.cast(in[0], element);
      });
}

Value TensorBuilder::ofType(Value tensor, mlir::Type type) {
  if (tensor.getType() == type)
    return tensor;
  return mlir::tensor::CastOp::create(builder, loc, type, tensor);
}

Value TensorBuilder::transpose(Value tensor,
                               llvm::ArrayRef<int64_t> permutation) {
  llvm::SmallVector<mlir::OpFoldResult> from = sizes(tensor), to;
  for (int64_t axis : permutation)
    to.push_back(from[axis]);
  Value init = mlir::tensor::EmptyOp::create(
      builder, loc, to, tensorType(tensor).getElementType());
  return mlir::linalg::TransposeOp::create(builder, loc, tensor, init,
                                           permutation)
      ->getResult(0);
}

SoftmaxParts xf::buildSoftmaxParts(TensorBuilder &tensors, Value x,
                                   Value visible) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  mlir::Type element = tensorType(x).getElementType();
  unsigned rank = tensorType(x).getRank();
  auto identity = tensors.builder.getMultiDimIdentityMap(rank);
  llvm::SmallVector<GenericInput> inputs = {{x, identity}};
  if (visible)
    inputs.push_back({visible, identity});
  llvm::SmallVector<mlir::OpFoldResult> sizes = tensors.sizes(x);

  SoftmaxParts parts;
  parts.maximum =
      tensors.reduce(inputs, sizes, 1, element, -infinity,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       Value taken = scalar.greater(in[0], in.back());
                       if (visible)
                         taken = scalar.both(taken, in[1]);
                       return scalar.select(taken, in[0], in.back());
                     });
  llvm::SmallVector<unsigned> outer = axisRange(0, rank - 1);
  inputs.push_back(tensors.onLoops(parts.maximum, outer, rank));
  parts.sum = tensors.reduce(
      inputs, sizes, 1, element, 0.0,
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value maximum = in[visible ? 2 : 1];
        // Entries of -inf next to a maximum of -inf add 0, not NaN.
        Value shift = scalar.select(
            scalar.equal(maximum, scalar.constant(element, -infinity)),
            scalar.constant(element, 0.0), maximum);
        Value term = scalar.exp(scalar.subtract(in[0], shift));
        if (visible)
          term = scalar.select(in[1], term, scalar.constant(element, 0.0));
        return scalar.add(in.back(), term);
      });
  return parts;
}
