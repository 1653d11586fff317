//===- TrainingEntry.cpp - A function with states under construction ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/autodiff/TrainingEntry.h"

using namespace dragoman;
using namespace dragoman::autodiff;
using mlir::Value;

TrainingEntry::TrainingEntry(mlir::OpBuilder &module, llvm::StringRef name)
    : function(mlir::func::FuncOp::create(module, module.getUnknownLoc(), name,
                                          module.getFunctionType({}, {}))),
      builder(module.getContext()) {
  builder.setInsertionPointToStart(function.addEntryBlock());
  builder.setInsertionPoint(
      mlir::func::ReturnOp::create(builder, function.getLoc()));
}

TrainingEntry::TrainingEntry(mlir::func::FuncOp function)
    : function(function), builder(function.getContext()) {
  mlir::Operation *end = function.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  results.assign(end->getOperands().begin(), end->getOperands().end());
  auto orEmpty = [&](mlir::DictionaryAttr attributes) -> mlir::Attribute {
    return attributes ? attributes : builder.getDictionaryAttr({});
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    argumentAttributes.push_back(orEmpty(function.getArgAttrDict(i)));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    resultAttributes.push_back(orEmpty(function.getResultAttrDict(i)));
}

Value TrainingEntry::argument(mlir::Type type,
                              llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  argumentAttributes.push_back(builder.getDictionaryAttr(attributes));
  return function.getBody().front().addArgument(type, function.getLoc());
}

Value TrainingEntry::input(llvm::StringRef name, mlir::Type element,
                           llvm::StringRef domain) {
  return argument(
      mlir::RankedTensorType::get({}, element),
      {builder.getNamedAttr("xf.dims", builder.getStrArrayAttr({})),
       builder.getNamedAttr("xf.domain", builder.getStringAttr(domain)),
       builder.getNamedAttr("xf.name", builder.getStringAttr(name))});
}

void TrainingEntry::output(llvm::StringRef name, Value value) {
  results.push_back(value);
  resultAttributes.push_back(builder.getDictionaryAttr(
      builder.getNamedAttr("xf.name", builder.getStringAttr(name))));
}

Value TrainingEntry::state(plan::StateOp state) {
  // What is not negative in training is not negative in tests of passes.
  bool squares = llvm::is_contained({"moment2", "square_sum", "square_delta"},
                                    state.getSymName());
  return argument(
      state.getType(),
      {builder.getNamedAttr(
           "plan.state", mlir::FlatSymbolRefAttr::get(state.getSymNameAttr())),
       builder.getNamedAttr("xf.dims", state.getDims()),
       builder.getNamedAttr("xf.domain", builder.getStringAttr(
                                             squares ? "prob" : "normal(0.1)")),
       builder.getNamedAttr("xf.name", state.getSymNameAttr())});
}

void TrainingEntry::setState(plan::StateOp state, Value value) {
  results.push_back(value);
  resultAttributes.push_back(builder.getDictionaryAttr(
      {builder.getNamedAttr(
           "plan.state", mlir::FlatSymbolRefAttr::get(state.getSymNameAttr())),
       builder.getNamedAttr("xf.name", state.getSymNameAttr())}));
}

void TrainingEntry::finish() {
  mlir::Block &block = function.getBody().front();
  block.getTerminator()->setOperands(results);
  function.setFunctionType(builder.getFunctionType(
      block.getArgumentTypes(), mlir::ValueRange(results).getTypes()));
  function.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  function.setResAttrsAttr(builder.getArrayAttr(resultAttributes));
}
