//===- WeightOps.cpp - What initialisers of derived weights do --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/WeightOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <cstring>

using namespace dragoman;
using mlir::RankedTensorType;

static int64_t elementBytes(mlir::Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

/// Row-major strides, in elements.
static llvm::SmallVector<int64_t> stridesOf(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

/// Calls `visit(linear, index)` for each index of `shape` in row-major order.
template <typename Visit>
static void forEachIndex(llvm::ArrayRef<int64_t> shape, Visit visit) {
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  for (int64_t linear = 0; linear < count; ++linear) {
    visit(linear, index);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
}

double dragoman::loadElement(mlir::Type type, const char *data, int64_t index) {
  int64_t size = elementBytes(type);
  uint64_t bits = 0;
  std::memcpy(&bits, data + index * size, size);
  unsigned width = type.getIntOrFloatBitWidth();
  if (auto real = llvm::dyn_cast<mlir::FloatType>(type)) {
    if (type.isF32()) {
      float value;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    }
    return llvm::APFloat(real.getFloatSemantics(), llvm::APInt(width, bits))
        .convertToDouble();
  }
  if (width == 1)
    return static_cast<double>(bits & 1);
  return static_cast<double>(llvm::APInt(width, bits).getSExtValue());
}

void dragoman::storeElement(mlir::Type type, char *data, int64_t index,
                            double value) {
  int64_t size = elementBytes(type);
  uint64_t bits;
  if (type.isF32()) {
    float rounded = static_cast<float>(value);
    uint32_t word;
    std::memcpy(&word, &rounded, sizeof word);
    bits = word;
  } else if (auto real = llvm::dyn_cast<mlir::FloatType>(type)) {
    llvm::APFloat number(value);
    bool lost;
    number.convert(real.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                   &lost);
    bits = number.bitcastToAPInt().getZExtValue();
  } else {
    bits = static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  std::memcpy(data + index * size, &bits, size);
}

Status dragoman::copyConstant(mlir::Attribute value, RankedTensorType type,
                              char *out) {
  auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!elements)
    return Status(StatusCode::Unsupported, "expected a dense constant");
  mlir::Type element = type.getElementType();
  int64_t index = 0;
  if (llvm::isa<mlir::FloatType>(element)) {
    for (const llvm::APFloat &number : elements.getValues<llvm::APFloat>()) {
      uint64_t bits = number.bitcastToAPInt().getZExtValue();
      std::memcpy(out + index++ * elementBytes(element), &bits,
                  elementBytes(element));
    }
    return Status::ok();
  }
  for (const llvm::APInt &number : elements.getValues<llvm::APInt>())
    storeElement(element, out, index++,
                 static_cast<double>(number.getSExtValue()));
  return Status::ok();
}

Status dragoman::transposeWeight(const WeightValue &source,
                                 llvm::ArrayRef<int64_t> permutation,
                                 RankedTensorType type, char *out) {
  int64_t size = elementBytes(type.getElementType());
  llvm::SmallVector<int64_t> from = stridesOf(source.type.getShape());
  llvm::SmallVector<int64_t> strides;
  for (int64_t axis : permutation)
    strides.push_back(from[axis] * size);
  forEachIndex(type.getShape(), [&](int64_t linear, auto &index) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < strides.size(); ++axis)
      offset += index[axis] * strides[axis];
    std::memcpy(out + linear * size, source.data + offset, size);
  });
  return Status::ok();
}

Status dragoman::concatWeights(llvm::ArrayRef<WeightValue> sources,
                               uint64_t axis, RankedTensorType type,
                               char *out) {
  int64_t outer = 1, inner = elementBytes(type.getElementType());
  for (int64_t i = 0; i < type.getRank(); ++i)
    (i < static_cast<int64_t>(axis) ? outer : inner) *=
        i == static_cast<int64_t>(axis) ? 1 : type.getDimSize(i);
  for (int64_t block = 0; block < outer; ++block)
    for (const WeightValue &source : sources) {
      int64_t bytes = source.type.getDimSize(axis) * inner;
      std::memcpy(out, source.data + block * bytes, bytes);
      out += bytes;
    }
  return Status::ok();
}

Status dragoman::sliceWeight(const WeightValue &source,
                             mlir::tensor::ExtractSliceOp slice,
                             RankedTensorType type, char *out) {
  auto dynamic = [](llvm::ArrayRef<int64_t> values) {
    return llvm::any_of(values, mlir::ShapedType::isDynamic);
  };
  if (dynamic(slice.getStaticOffsets()) || dynamic(slice.getStaticSizes()) ||
      dynamic(slice.getStaticStrides()))
    return Status(StatusCode::Unsupported,
                  "expected a slice with static offsets, sizes and strides");
  int64_t size = elementBytes(type.getElementType());
  llvm::SmallVector<int64_t> strides = stridesOf(source.type.getShape());
  forEachIndex(slice.getStaticSizes(), [&](int64_t linear, auto &index) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < strides.size(); ++axis)
      offset += (slice.getStaticOffsets()[axis] +
                 index[axis] * slice.getStaticStrides()[axis]) *
                strides[axis];
    std::memcpy(out + linear * size, source.data + offset * size, size);
  });
  return Status::ok();
}

/// One scalar op of a body on doubles; NaN-like absence means unknown op.
static std::optional<double> applyScalar(mlir::Operation &op,
                                         llvm::ArrayRef<double> in) {
  using namespace mlir;
  return llvm::TypeSwitch<Operation *, std::optional<double>>(&op)
      .Case([&](arith::AddFOp) { return in[0] + in[1]; })
      .Case([&](arith::SubFOp) { return in[0] - in[1]; })
      .Case([&](arith::MulFOp) { return in[0] * in[1]; })
      .Case([&](arith::DivFOp) { return in[0] / in[1]; })
      .Case([&](arith::NegFOp) { return -in[0]; })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return in[0]; })
      .Case([&](math::SqrtOp) { return std::sqrt(in[0]); })
      .Case([&](math::ExpOp) { return std::exp(in[0]); })
      .Default([](Operation *) { return std::nullopt; });
}

/// The number of a float constant, inside the body or outside.
static std::optional<double> scalarConstant(mlir::Value value) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantOp>();
  auto number = constant ? llvm::dyn_cast<mlir::FloatAttr>(constant.getValue())
                         : mlir::FloatAttr();
  if (!number)
    return std::nullopt;
  return number.getValueAsDouble();
}

/// `value` rounded to a float type.
static double roundTo(mlir::Type type, double value) {
  char bytes[8];
  storeElement(type, bytes, 0, value);
  return loadElement(type, bytes, 0);
}

Status dragoman::elementwiseWeight(mlir::linalg::LinalgOp op,
                                   llvm::ArrayRef<WeightValue> operands,
                                   RankedTensorType type, char *out) {
  mlir::Block &body = *op.getBlock();
  auto maps = op.getIndexingMapsArray();
  if (op.getNumReductionLoops() != 0 || op->getNumResults() != 1 ||
      !maps.back().isIdentity())
    return Status(StatusCode::Unsupported,
                  "expected an elementwise initialiser, found " +
                      op->getName().getStringRef().str());
  for (mlir::AffineMap map : maps)
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return Status(StatusCode::Unsupported,
                    "expected broadcasting maps in an initialiser");
  Status status = Status::ok();
  forEachIndex(type.getShape(), [&](int64_t linear, auto &index) {
    if (!status)
      return;
    llvm::DenseMap<mlir::Value, double> scalars;
    for (auto [argument, operand, map] :
         llvm::zip(body.getArguments(), operands, maps)) {
      if (!operand.data)
        continue; // a scalar operand of linalg.fill, or an unread init
      llvm::SmallVector<int64_t> strides = stridesOf(operand.type.getShape());
      int64_t offset = 0;
      for (auto [axis, result] : llvm::enumerate(map.getResults()))
        if (auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(result))
          offset += index[dim.getPosition()] * strides[axis];
      scalars[argument] =
          loadElement(operand.type.getElementType(), operand.data, offset);
    }
    for (mlir::Operation &inner : body.without_terminator()) {
      if (llvm::isa<mlir::arith::ConstantOp>(inner))
        continue;
      llvm::SmallVector<double> in;
      for (mlir::Value operand : inner.getOperands())
        if (auto found = scalars.find(operand); found != scalars.end())
          in.push_back(found->second);
        else if (auto number = scalarConstant(operand))
          in.push_back(*number);
      std::optional<double> value;
      if (in.size() == inner.getNumOperands() && inner.getNumResults() == 1 &&
          llvm::isa<mlir::FloatType>(inner.getResult(0).getType()))
        value = applyScalar(inner, in);
      if (!value) {
        status = Status(StatusCode::Unsupported,
                        "expected float arithmetic in an initialiser, found " +
                            inner.getName().getStringRef().str());
        return;
      }
      scalars[inner.getResult(0)] =
          roundTo(inner.getResult(0).getType(), *value);
    }
    auto found = scalars.find(body.getTerminator()->getOperand(0));
    if (found == scalars.end()) {
      status = Status(StatusCode::Unsupported,
                      "expected an initialiser that yields a computed value");
      return;
    }
    storeElement(type.getElementType(), out, linear, found->second);
  });
  return status;
}
