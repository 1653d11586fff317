//===- DimValues.cpp - Index values from dimension expressions -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/DimValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;
namespace arith = mlir::arith;

namespace {

/// Recursive descent over the canonical text, whose grammar DimExpr.h states.
class Builder {
public:
  Builder(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef text,
          DimNameLookup lookup)
      : builder(builder), loc(loc), rest(text), lookup(lookup) {}

  Value sum() {
    bool negative = take("-");
    Value total = product();
    if (total && negative)
      total = arith::SubIOp::create(builder, loc, constant(0), total);
    while (total) {
      if (take("+")) {
        Value term = product();
        total =
            term ? arith::AddIOp::create(builder, loc, total, term).getResult()
                 : Value();
      } else if (take("-")) {
        Value term = product();
        total =
            term ? arith::SubIOp::create(builder, loc, total, term).getResult()
                 : Value();
      } else {
        break;
      }
    }
    return total;
  }

private:
  bool take(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Value product() {
    Value value = factor();
    while (value && take("*")) {
      Value other = factor();
      value =
          other ? arith::MulIOp::create(builder, loc, value, other).getResult()
                : Value();
    }
    return value;
  }

  Value factor() {
    rest = rest.ltrim();
    uint64_t number = 0;
    if (!rest.consumeInteger(10, number))
      return constant(static_cast<int64_t>(number));
    if (take("(")) {
      Value inner = sum();
      take(")");
      return inner;
    }
    llvm::StringRef name = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(name.size());
    return take("(") ? call(name) : lookup(name);
  }

  Value call(llvm::StringRef name) {
    Value value = sum();
    while (value && take(",")) {
      Value other = sum();
      if (!other)
        return {};
      if (name == "max")
        value = arith::MaxSIOp::create(builder, loc, value, other);
      else if (name == "min")
        value = arith::MinSIOp::create(builder, loc, value, other);
      else if (name == "floordiv")
        value = arith::FloorDivSIOp::create(builder, loc, value, other);
      else
        value = arith::CeilDivSIOp::create(builder, loc, value, other);
      if (name == "align")
        value = arith::MulIOp::create(builder, loc, value, other);
    }
    take(")");
    return value;
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::StringRef rest;
  DimNameLookup lookup;
};

} // namespace

Value xf::buildDim(mlir::OpBuilder &builder, mlir::Location loc,
                   const DimExpr &expr, DimNameLookup lookup) {
  std::string text = expr.str();
  return Builder(builder, loc, text, lookup).sum();
}
