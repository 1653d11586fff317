//===- Unary.cpp - Operators of one operand, element by element -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/Elementwise.h"
#include "frontends/onnx/ops/Table.h"

#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::Location;
using mlir::LogicalResult;
using mlir::OpBuilder;
using mlir::Value;
using mlir::ValueRange;
namespace arith = mlir::arith;
namespace math = mlir::math;

/// An operator that is defined on floats only here.
static LogicalResult floatUnary(NodeImport &import, ScalarBody body) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  if (!import.in(0).isFloat())
    return import.error("expected a float tensor, found " +
                        elementName(import.in(0).type));
  auto result = elementwise(import, {&import.in(0)}, import.in(0).type, body);
  if (failed(result))
    return mlir::failure();
  import.set(0, *result);
  return mlir::success();
}

/// A math operation of one operand.
template <typename Op> static LogicalResult mathUnary(NodeImport &import) {
  return floatUnary(import, [](OpBuilder &b, Location loc, ValueRange x) {
    return Op::create(b, loc, x[0]).getResult();
  });
}

static Value constantLike(OpBuilder &b, Location loc, Value like,
                          double value) {
  return scalarConstant(b, loc, like.getType(), value);
}

LogicalResult onnx::importErf(NodeImport &import) {
  return mathUnary<math::ErfOp>(import);
}
LogicalResult onnx::importExp(NodeImport &import) {
  return mathUnary<math::ExpOp>(import);
}
LogicalResult onnx::importLog(NodeImport &import) {
  return mathUnary<math::LogOp>(import);
}
LogicalResult onnx::importSqrt(NodeImport &import) {
  return mathUnary<math::SqrtOp>(import);
}
LogicalResult onnx::importTanh(NodeImport &import) {
  return mathUnary<math::TanhOp>(import);
}

LogicalResult onnx::importAbs(NodeImport &import) {
  return mathUnary<math::AbsFOp>(import);
}

LogicalResult onnx::importNeg(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  Imported &x = import.in(0);
  if (auto known = combineContents({&x}, [](llvm::ArrayRef<DimExpr> x) {
        return std::optional(DimExpr(0) - x[0]);
      })) {
    import.setContent(0, x.type, known->first, known->second);
    return mlir::success();
  }
  if (x.isFloat())
    return mathUnary<arith::NegFOp>(import);
  auto result =
      elementwise(import, {&x}, x.type,
                  [](OpBuilder &b, Location loc, ValueRange x) -> Value {
                    return arith::SubIOp::create(
                        b, loc, constantLike(b, loc, x[0], 0), x[0]);
                  });
  if (failed(result))
    return mlir::failure();
  import.set(0, *result);
  return mlir::success();
}

LogicalResult onnx::importReciprocal(NodeImport &import) {
  return floatUnary(import,
                    [](OpBuilder &b, Location loc, ValueRange x) -> Value {
                      return arith::DivFOp::create(
                          b, loc, constantLike(b, loc, x[0], 1), x[0]);
                    });
}

LogicalResult onnx::importRelu(NodeImport &import) {
  return floatUnary(import,
                    [](OpBuilder &b, Location loc, ValueRange x) -> Value {
                      return arith::MaximumFOp::create(
                          b, loc, x[0], constantLike(b, loc, x[0], 0));
                    });
}

LogicalResult onnx::importSigmoid(NodeImport &import) {
  return floatUnary(
      import, [](OpBuilder &b, Location loc, ValueRange x) -> Value {
        Value e =
            math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x[0]));
        Value one = constantLike(b, loc, x[0], 1);
        return arith::DivFOp::create(b, loc, one,
                                     arith::AddFOp::create(b, loc, one, e));
      });
}

LogicalResult onnx::importNot(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  if (import.in(0).type != Bool)
    return import.error("expected a bool tensor, found " +
                        elementName(import.in(0).type));
  auto result =
      elementwise(import, {&import.in(0)}, Bool,
                  [](OpBuilder &b, Location loc, ValueRange x) -> Value {
                    return arith::XOrIOp::create(b, loc, x[0],
                                                 constantLike(b, loc, x[0], 1));
                  });
  if (failed(result))
    return mlir::failure();
  import.set(0, *result);
  return mlir::success();
}

LogicalResult onnx::importIsNaN(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  if (!import.in(0).isFloat())
    return import.error("expected a float tensor, found " +
                        elementName(import.in(0).type));
  auto result =
      elementwise(import, {&import.in(0)}, Bool,
                  [](OpBuilder &b, Location loc, ValueRange x) -> Value {
                    return arith::CmpFOp::create(
                        b, loc, arith::CmpFPredicate::UNO, x[0], x[0]);
                  });
  if (failed(result))
    return mlir::failure();
  import.set(0, *result);
  return mlir::success();
}

LogicalResult onnx::importGelu(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  auto kind = import.stringAttr("approximate", "none");
  if (failed(kind))
    return mlir::failure();
  if (*kind != "none" && *kind != "tanh")
    return import.error("expected approximate none or tanh, found " + *kind);
  Value x = import.value(0);
  Value y = xf::GeluOp::create(import.builder, import.loc, x.getType(), x,
                               *kind == "none" ? "erf" : "tanh");
  import.set(0, y, import.in(0).type, import.in(0).dims);
  return mlir::success();
}

LogicalResult onnx::importIdentity(NodeImport &import) {
  if (failed(import.expectInputs(1)))
    return mlir::failure();
  import.set(0, import.in(0));
  return mlir::success();
}

LogicalResult onnx::importDropout(NodeImport &import) {
  if (failed(import.expectInputs(1, 3)))
    return mlir::failure();
  if (import.has(2)) {
    auto training = import.in(2).integers();
    if (!training || (*training)[0] != 0)
      return import.error("dropout in training mode is not supported");
  }
  if (import.node.outputs.size() > 1 && !import.node.outputs[1].empty())
    return import.error("the mask of dropout is not supported");
  import.set(0, import.in(0));
  return mlir::success();
}
