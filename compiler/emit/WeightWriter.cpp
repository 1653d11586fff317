//===- WeightWriter.cpp - The bytes of a model's weights --------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/WeightWriter.h"

#include "compiler/emit/WeightOps.h"
#include "dialects/plan/InitialValues.h"
#include "runtime/base/MappedFile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace dragoman;
using mlir::RankedTensorType;

/// Columns of a panel.
static constexpr int64_t panel = 16;

static int64_t elementBytes(mlir::Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

int64_t WeightValue::bytes() const {
  return type.getNumElements() * elementBytes(type.getElementType());
}

WeightWriter::WeightWriter(mlir::ModuleOp module, std::string modelFolder)
    : module(module), symbols(module), modelFolder(std::move(modelFolder)) {}
WeightWriter::~WeightWriter() = default;

/// Hands [N,K] to the sink as [ceil(N/16)][K][16], the columns past N zero.
static Status writePanels(const WeightValue &value,
                          const WeightWriter::Sink &sink) {
  int64_t n = value.type.getDimSize(0), k = value.type.getDimSize(1);
  int64_t size = elementBytes(value.type.getElementType());
  std::vector<char> packed(panel * k * size);
  for (int64_t first = 0; first < n; first += panel) {
    int64_t columns = std::min(panel, n - first);
    if (columns < panel)
      std::fill(packed.begin(), packed.end(), 0);
    for (int64_t column = 0; column < columns; ++column) {
      const char *row = value.data + (first + column) * k * size;
      for (int64_t i = 0; i < k; ++i)
        std::memcpy(&packed[(i * panel + column) * size], row + i * size, size);
    }
    DRAGOMAN_RETURN_IF_ERROR(sink(packed.data(), packed.size()));
  }
  return Status::ok();
}

Status WeightWriter::write(plan::WeightOp weight, const Sink &sink) {
  Result<WeightValue> value = evaluate(weight);
  if (!value)
    return value.status();
  if (weight.getLayout() == "panel16")
    return writePanels(*value, sink);
  return sink(value->data, value->bytes());
}

Result<WeightValue> WeightWriter::evaluate(plan::WeightOp weight) {
  Result<WeightValue> value = evaluateSource(weight);
  if (!value)
    return value.status().at("weight " + weight.getSymName().str());
  return value;
}

/// The elements of a weight without a file.
static WeightValue initialValue(RankedTensorType type, mlir::Attribute source) {
  mlir::Type element = type.getElementType();
  auto bytes = std::make_shared<std::vector<char>>(type.getNumElements() *
                                                   elementBytes(element));
  plan::forInitialValues(source, type.getShape(), [&](int64_t i, double value) {
    storeElement(element, bytes->data(), i, value);
  });
  return {type, bytes, bytes->data()};
}

Result<WeightValue> WeightWriter::evaluateSource(plan::WeightOp weight) {
  auto type = llvm::cast<RankedTensorType>(weight.getType());
  if (weight.getDerived()) {
    auto init = symbols.lookup<mlir::func::FuncOp>(*weight.getDerived());
    if (!init || init.isExternal())
      return Status(StatusCode::InvalidData,
                    "expected the initialiser @" + weight.getDerived()->str() +
                        " to be a function of the module");
    return evaluateInit(init);
  }
  auto source = llvm::dyn_cast<plan::FileAttr>(weight.getSourceAttr());
  if (!source)
    return initialValue(type, weight.getSourceAttr());
  std::string path = modelFolder.empty()
                         ? source.getPath().str()
                         : modelFolder + "/" + source.getPath().str();
  std::shared_ptr<MappedFile> &file = files[path];
  if (!file) {
    Result<MappedFile> opened = MappedFile::open(path);
    if (!opened)
      return opened.status();
    file = std::make_shared<MappedFile>(std::move(*opened));
  }
  uint64_t size = file->bytes().size();
  uint64_t end = static_cast<uint64_t>(source.getOffset()) + source.getBytes();
  if (end > size)
    return Status(StatusCode::InvalidData,
                  "expected bytes up to " + std::to_string(end) +
                      ", found a file of " + std::to_string(size),
                  path);
  WeightValue value{type, nullptr, file->bytes().data() + source.getOffset()};
  return value;
}

Result<WeightValue> WeightWriter::evaluateInit(mlir::Operation *function) {
  auto init = llvm::cast<mlir::func::FuncOp>(function);
  std::map<void *, WeightValue> values;
  for (mlir::Operation &op : init.getBody().front()) {
    if (auto end = llvm::dyn_cast<mlir::func::ReturnOp>(op))
      return values.at(end.getOperand(0).getAsOpaquePointer());
    if (op.getNumResults() == 0 ||
        !llvm::isa<RankedTensorType>(op.getResult(0).getType()))
      continue; // index arithmetic: sizes are static
    Result<WeightValue> value = evaluateOp(op, values);
    if (!value)
      return value.status().at("@" + init.getSymName().str());
    values[op.getResult(0).getAsOpaquePointer()] = *value;
  }
  return Status(StatusCode::Internal, "expected the initialiser to return");
}

Result<WeightValue>
WeightWriter::evaluateOp(mlir::Operation &op,
                         std::map<void *, WeightValue> &values) {
  auto type = llvm::cast<RankedTensorType>(op.getResult(0).getType());
  if (!type.hasStaticShape())
    return Status(StatusCode::Unsupported,
                  "expected a static shape of a weight, found " +
                      op.getName().getStringRef().str());
  llvm::SmallVector<WeightValue> operands;
  for (mlir::Value operand : op.getOperands()) {
    auto found = values.find(operand.getAsOpaquePointer());
    operands.push_back(found == values.end() ? WeightValue() : found->second);
  }
  auto fresh = [&](auto &&fill) -> Result<WeightValue> {
    auto bytes = std::make_shared<std::vector<char>>(
        type.getNumElements() * elementBytes(type.getElementType()));
    Status status = fill(bytes->data());
    if (!status)
      return status;
    return WeightValue{type, bytes, bytes->data()};
  };
  return llvm::TypeSwitch<mlir::Operation *, Result<WeightValue>>(&op)
      .Case([&](plan::LoadOp load) {
        return evaluate(symbols.lookup<plan::WeightOp>(load.getWeight()));
      })
      .Case<mlir::tensor::ExpandShapeOp, mlir::tensor::CollapseShapeOp,
            mlir::tensor::CastOp>([&](auto) -> Result<WeightValue> {
        WeightValue value = operands[0];
        value.type = type;
        return value;
      })
      .Case([&](mlir::tensor::EmptyOp) {
        return fresh([](char *) { return Status::ok(); });
      })
      .Case([&](mlir::arith::ConstantOp constant) {
        return fresh([&](char *out) {
          return copyConstant(constant.getValue(), type, out);
        });
      })
      .Case([&](mlir::linalg::TransposeOp transpose) {
        return fresh([&](char *out) {
          return transposeWeight(operands[0], transpose.getPermutation(), type,
                                 out);
        });
      })
      .Case([&](mlir::tensor::ConcatOp concat) {
        return fresh([&](char *out) {
          return concatWeights(operands, concat.getDim(), type, out);
        });
      })
      .Case([&](mlir::tensor::ExtractSliceOp slice) {
        return fresh([&](char *out) {
          return sliceWeight(operands[0], slice, type, out);
        });
      })
      .Case([&](mlir::linalg::LinalgOp generic) {
        return fresh([&](char *out) {
          return elementwiseWeight(generic, operands, type, out);
        });
      })
      .Default([](mlir::Operation *other) -> Result<WeightValue> {
        return Status(StatusCode::Unsupported,
                      "expected an op that initialisers may hold, found " +
                          other->getName().getStringRef().str());
      });
}
