//===- Builder.cpp - Writing models in C++ -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/dsl/Builder.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::dsl;
using mlir::AffineMap;
using mlir::RankedTensorType;
using mlir::ShapedType;

/// Distance of the random streams of two models.
static constexpr uint64_t seedsPerModel = 1 << 20;

/// The static sizes of dimension texts; names are dynamic.
static llvm::SmallVector<int64_t>
shapeOf(llvm::ArrayRef<llvm::StringRef> dims) {
  llvm::SmallVector<int64_t> shape;
  for (llvm::StringRef dim : dims) {
    int64_t size;
    shape.push_back(dim.getAsInteger(10, size) ? ShapedType::kDynamic : size);
  }
  return shape;
}

static mlir::MLIRContext *loadDialects(mlir::MLIRContext &context) {
  context
      .loadDialect<xf::XfDialect, plan::PlanDialect, mlir::arith::ArithDialect,
                   mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                   mlir::math::MathDialect, mlir::tensor::TensorDialect>();
  return &context;
}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

Model::Model(mlir::MLIRContext &context, bool trained, uint64_t seed)
    : module(
          mlir::ModuleOp::create(mlir::UnknownLoc::get(loadDialects(context)))),
      b(mlir::UnknownLoc::get(&context), module->getBodyRegion()),
      trained(trained), nextSeed(seed * seedsPerModel + 1) {
  b.setInsertionPointToEnd(module->getBody());
}

Init Init::xavier(int64_t outputs, int64_t inputs) {
  return {Uniform, std::sqrt(6.0 / static_cast<double>(outputs + inputs))};
}

Weight Model::weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                     double stddev) {
  return weight(name, shape, Init::normal(stddev), Role::Frozen);
}

Weight Model::weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                     const Init &init, Role role) {
  auto type = RankedTensorType::get(shape, b.getF32Type());
  mlir::FloatAttr number = b.getF64FloatAttr(init.number);
  mlir::Attribute source;
  switch (init.kind) {
  case Init::Normal:
    source =
        plan::NormalAttr::get(b.getContext(), nextSeed++, number, init.zeroRow);
    break;
  case Init::Uniform:
    source = plan::UniformAttr::get(b.getContext(), nextSeed++, number);
    break;
  case Init::Constant:
    source = plan::SplatAttr::get(b.getContext(), number);
    break;
  case Init::Sinusoid:
    source = plan::SinusoidAttr::get(b.getContext(), number);
    break;
  }
  auto op =
      plan::WeightOp::create(b, name, type, source, mlir::FlatSymbolRefAttr());
  op.setTrainable(role != Role::Frozen);
  op.setDecay(role == Role::Decayed);
  return {name.str(), type};
}

Weight Model::gain(llvm::StringRef name, int64_t size, double stddev) {
  Weight delta = weight((name + ".delta").str(), {size}, stddev);
  std::string init = (name + ".init").str();
  auto func =
      mlir::func::FuncOp::create(b, init, b.getFunctionType({}, {delta.type}));
  func.setPrivate();
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(func.addEntryBlock());
    Tensor x = plan::LoadOp::create(b, delta.type, delta.name);
    Tensor empty =
        mlir::tensor::EmptyOp::create(b, delta.type.getShape(), b.getF32Type());
    AffineMap map = b.getMultiDimIdentityMap(1);
    auto sum = mlir::linalg::GenericOp::create(
        b, delta.type, x, empty, llvm::ArrayRef{map, map},
        mlir::utils::IteratorType::parallel,
        [](mlir::OpBuilder &builder, mlir::Location loc,
           mlir::ValueRange values) {
          mlir::Value one = mlir::arith::ConstantOp::create(
              builder, loc, builder.getF32FloatAttr(1.0f));
          mlir::Value y =
              mlir::arith::AddFOp::create(builder, loc, values[0], one);
          mlir::linalg::YieldOp::create(builder, loc, y);
        });
    mlir::func::ReturnOp::create(b, sum.getResults());
  }
  plan::WeightOp::create(b, name, delta.type, mlir::Attribute(),
                         mlir::FlatSymbolRefAttr::get(func.getNameAttr()));
  return {name.str(), delta.type};
}

Weight Model::bias(llvm::StringRef name, int64_t size) {
  return trained ? weight(name, {size}, Init::constant(0), Role::Trained)
                 : weight(name, {size}, 0.02);
}

dsl::Linear Model::linear(llvm::StringRef name, int64_t outputs, int64_t inputs,
                          bool bias) {
  Init random = Init::normal(1.0 / std::sqrt(static_cast<double>(inputs)));
  Linear layer{this, {}, {}};
  layer.w = weight((name + ".weight").str(), {outputs, inputs},
                   trained ? Init::xavier(outputs, inputs) : random,
                   trained ? Role::Decayed : Role::Frozen);
  if (bias)
    layer.b = this->bias((name + ".bias").str(), outputs);
  return layer;
}

Norm Model::norm(llvm::StringRef name, int64_t size, double eps) {
  std::string gain = (name + ".weight").str();
  Weight g = trained ? weight(gain, {size}, Init::constant(1), Role::Trained)
                     : this->gain(gain, size, 0.02);
  return {this, g, bias((name + ".bias").str(), size), eps};
}

Dropout Model::dropout(double p) { return {this, p, nextDropout++}; }

void Model::state(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> dims) {
  plan::StateOp::create(b, name,
                        RankedTensorType::get(shapeOf(dims), b.getF32Type()),
                        b.getStrArrayAttr(dims));
}

int64_t Model::site(llvm::StringRef node, llvm::StringRef message) {
  plan::SiteOp::create(b, nextSite, node, message);
  return nextSite++;
}

Entry Model::entry(llvm::StringRef name) { return Entry(*this, name); }

Tensor Linear::operator()(Tensor x, llvm::StringRef activation) const {
  return model->current().linear(x, *this, activation);
}
Tensor Norm::operator()(Tensor x) const {
  return model->current().layerNorm(x, *this, eps);
}
Tensor Embedding::operator()(Tensor ids) const {
  return model->current().embedding(table, ids, scale, site);
}
Tensor Dropout::operator()(Tensor x) const {
  return model->current().dropout(x, *this);
}

//===----------------------------------------------------------------------===//
// Entry: the border
//===----------------------------------------------------------------------===//

Entry::Entry(Model &model, llvm::StringRef name)
    : func(mlir::func::FuncOp::create(model.b, name,
                                      model.b.getFunctionType({}, {}))),
      b(model.b.getLoc(), model.b.getContext()), model(model) {
  assert(!model.open && "one entry is finished before the next");
  model.open = this;
  b.setInsertionPointToStart(func.addEntryBlock());
}

mlir::BlockArgument
Entry::argument(RankedTensorType type,
                llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  argumentAttributes.push_back(b.getDictionaryAttr(attributes));
  return func.getBody().front().addArgument(type, b.getLoc());
}

Tensor Entry::input(llvm::StringRef name, mlir::Type element,
                    llvm::ArrayRef<llvm::StringRef> dims,
                    llvm::StringRef domain) {
  return argument(RankedTensorType::get(shapeOf(dims), element),
                  {b.getNamedAttr("xf.dims", b.getStrArrayAttr(dims)),
                   b.getNamedAttr("xf.domain", b.getStringAttr(domain)),
                   b.getNamedAttr("xf.name", b.getStringAttr(name))});
}

void Entry::output(llvm::StringRef name, Tensor value,
                   llvm::ArrayRef<llvm::StringRef> dims) {
  results.push_back(value);
  llvm::SmallVector<mlir::NamedAttribute> attributes = {
      b.getNamedAttr("xf.name", b.getStringAttr(name))};
  if (!dims.empty())
    attributes.push_back(b.getNamedAttr("xf.dims", b.getStrArrayAttr(dims)));
  resultAttributes.push_back(b.getDictionaryAttr(attributes));
}

Tensor Entry::state(llvm::StringRef name) {
  auto state = mlir::SymbolTable::lookupNearestSymbolFrom<plan::StateOp>(
      func, b.getStringAttr(name));
  assert(state && "a state is declared before it is used");
  return argument(llvm::cast<RankedTensorType>(state.getType()),
                  {b.getNamedAttr("plan.state", mlir::FlatSymbolRefAttr::get(
                                                    state.getSymNameAttr())),
                   b.getNamedAttr("xf.dims", state.getDims())});
}

void Entry::setState(llvm::StringRef name, Tensor value) {
  results.push_back(value);
  resultAttributes.push_back(b.getDictionaryAttr(b.getNamedAttr(
      "plan.state", mlir::FlatSymbolRefAttr::get(b.getContext(), name))));
}

void Entry::finish() {
  mlir::func::ReturnOp::create(b, results);
  func.setFunctionType(
      b.getFunctionType(func.getBody().front().getArgumentTypes(),
                        mlir::ValueRange(results).getTypes()));
  func.setArgAttrsAttr(b.getArrayAttr(argumentAttributes));
  func.setResAttrsAttr(b.getArrayAttr(resultAttributes));
  model.open = nullptr;
}

void Entry::enableDropout(Tensor seed, Tensor rowKey) {
  this->seed = seed;
  this->rowKey = rowKey;
}
