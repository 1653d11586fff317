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
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace dragoman;
using namespace dragoman::dsl;
using mlir::AffineMap;
using mlir::OpFoldResult;
using mlir::RankedTensorType;
using mlir::ShapedType;

static RankedTensorType typeOf(Tensor x) {
  return llvm::cast<RankedTensorType>(x.getType());
}

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
                   mlir::tensor::TensorDialect>();
  return &context;
}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

Model::Model(mlir::MLIRContext &context)
    : module(
          mlir::ModuleOp::create(mlir::UnknownLoc::get(loadDialects(context)))),
      b(mlir::UnknownLoc::get(&context), module->getBodyRegion()) {
  b.setInsertionPointToEnd(module->getBody());
}

Weight Model::weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                     double stddev) {
  auto type = RankedTensorType::get(shape, b.getF32Type());
  auto source = plan::NormalAttr::get(b.getContext(), nextSeed++,
                                      b.getF64FloatAttr(stddev));
  plan::WeightOp::create(b, name, type, source, mlir::FlatSymbolRefAttr());
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

dsl::Linear Model::linear(llvm::StringRef name, int64_t outputs, int64_t inputs,
                          bool bias) {
  Linear layer;
  layer.w = weight((name + ".weight").str(), {outputs, inputs},
                   1.0 / std::sqrt(static_cast<double>(inputs)));
  if (bias)
    layer.b = weight((name + ".bias").str(), {outputs}, 0.02);
  return layer;
}

dsl::Norm Model::norm(llvm::StringRef name, int64_t size) {
  return {gain((name + ".weight").str(), size, 0.02),
          weight((name + ".bias").str(), {size}, 0.02)};
}

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

//===----------------------------------------------------------------------===//
// Entry: the border
//===----------------------------------------------------------------------===//

Entry::Entry(Model &model, llvm::StringRef name)
    : func(mlir::func::FuncOp::create(model.b, name,
                                      model.b.getFunctionType({}, {}))),
      b(model.b.getLoc(), model.b.getContext()) {
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

void Entry::output(llvm::StringRef name, Tensor value) {
  results.push_back(value);
  resultAttributes.push_back(
      b.getDictionaryAttr(b.getNamedAttr("xf.name", b.getStringAttr(name))));
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
}

//===----------------------------------------------------------------------===//
// Entry: layers
//===----------------------------------------------------------------------===//

Tensor Entry::load(const Weight &weight) {
  return plan::LoadOp::create(b, weight.type, weight.name);
}

Tensor Entry::linear(Tensor x, const Linear &layer,
                     llvm::StringRef activation) {
  llvm::SmallVector<int64_t> shape(typeOf(x).getShape());
  shape.back() = layer.w.type.getDimSize(0);
  Tensor w = load(layer.w);
  Tensor bias = layer.b ? load(layer.b) : Tensor();
  return xf::LinearOp::create(b, typeOf(x).clone(shape), x, w, bias,
                              activation);
}

Tensor Entry::layerNorm(Tensor x, const Norm &norm, double eps) {
  Tensor gain = load(norm.gain), bias = load(norm.bias);
  return xf::LayerNormOp::create(b, x.getType(), x, gain, bias,
                                 llvm::APFloat(eps));
}

Tensor Entry::embedding(const Weight &table, Tensor ids, double scale,
                        int64_t site) {
  llvm::SmallVector<int64_t> shape(typeOf(ids).getShape());
  shape.push_back(table.type.getDimSize(1));
  return xf::EmbeddingOp::create(b, RankedTensorType::get(shape, f32()),
                                 load(table), ids, llvm::APFloat(scale), site);
}

Tensor Entry::splitHeads(Tensor x, int64_t heads) {
  int64_t channels = typeOf(x).getDimSize(2);
  OpFoldResult sizes[] = {size(x, 0), size(x, 1), b.getIndexAttr(heads),
                          b.getIndexAttr(channels / heads)};
  auto type =
      RankedTensorType::get({typeOf(x).getDimSize(0), typeOf(x).getDimSize(1),
                             heads, channels / heads},
                            f32());
  llvm::SmallVector<mlir::ReassociationIndices> groups = {{0}, {1}, {2, 3}};
  return mlir::tensor::ExpandShapeOp::create(b, type, x, groups, sizes);
}

Tensor Entry::mergeHeads(Tensor x) {
  llvm::SmallVector<mlir::ReassociationIndices> groups = {{0}, {1}, {2, 3}};
  return mlir::tensor::CollapseShapeOp::create(b, x, groups);
}

Tensor Entry::attention(Tensor q, Tensor k, Tensor v, const AttentionMask &mask,
                        bool cached) {
  llvm::StringRef layout = cached ? "bhtd" : "bthd";
  RankedTensorType out = typeOf(q);
  auto lse = RankedTensorType::get(
      {out.getDimSize(0), out.getDimSize(2), out.getDimSize(1)}, f32());
  auto op = xf::AttentionOp::create(
      b, out, lse, q, k, v, /*bias=*/Tensor(), /*mask=*/Tensor(), mask.keyCount,
      /*starts=*/Tensor(), mask.offset, mask.rows, /*captures=*/{},
      /*scale=*/mlir::FloatAttr(), mask.causal, /*left=*/-1, /*right=*/-1,
      /*softcap=*/llvm::APFloat(0.0), /*q_layout=*/"bthd", layout, layout,
      /*out_layout=*/"bthd");
  return op.getOut();
}

Tensor Entry::cacheAppend(Tensor cache, Tensor fresh, Tensor at, Tensor row,
                          int64_t site) {
  return xf::CacheAppendOp::create(b, cache.getType(), cache, fresh, at, row,
                                   /*layout=*/"rows", /*fresh_layout=*/"bthd",
                                   site);
}

//===----------------------------------------------------------------------===//
// Entry: elementwise
//===----------------------------------------------------------------------===//

OpFoldResult Entry::size(Tensor x, unsigned axis) {
  if (!typeOf(x).isDynamicDim(axis))
    return b.getIndexAttr(typeOf(x).getDimSize(axis));
  return mlir::tensor::DimOp::create(b, x, axis).getResult();
}

Tensor Entry::generic(mlir::Type element, llvm::ArrayRef<OpFoldResult> sizes,
                      mlir::ValueRange inputs, llvm::ArrayRef<AffineMap> maps,
                      Body body) {
  Tensor empty = mlir::tensor::EmptyOp::create(b, sizes, element);
  llvm::SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(sizes.size()));
  llvm::SmallVector<mlir::utils::IteratorType> iterators(
      sizes.size(), mlir::utils::IteratorType::parallel);
  return mlir::linalg::GenericOp::create(
             b, empty.getType(), inputs, empty, all, iterators,
             [&](mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::ValueRange values) {
               mlir::ImplicitLocOpBuilder inner(loc, builder);
               mlir::Value value = body(inner, values);
               mlir::linalg::YieldOp::create(inner, value);
             })
      .getResult(0);
}

Tensor Entry::add(Tensor x, Tensor y) {
  unsigned rank = typeOf(x).getRank(), missing = rank - typeOf(y).getRank();
  llvm::SmallVector<OpFoldResult> sizes;
  for (unsigned axis = 0; axis < rank; ++axis)
    sizes.push_back(size(x, axis));
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  return generic(typeOf(x).getElementType(), sizes, {x, y},
                 {identity, identity.getMinorSubMap(rank - missing)},
                 [](mlir::ImplicitLocOpBuilder &builder,
                    mlir::ValueRange values) -> mlir::Value {
                   return mlir::arith::AddFOp::create(builder, values[0],
                                                      values[1]);
                 });
}

Tensor Entry::iota(Tensor x, unsigned axis) {
  return generic(i64(), size(x, axis), {}, {},
                 [&](mlir::ImplicitLocOpBuilder &builder,
                     mlir::ValueRange) -> mlir::Value {
                   mlir::Value i = mlir::linalg::IndexOp::create(builder, 0);
                   return mlir::arith::IndexCastOp::create(builder, i64(), i);
                 });
}

Tensor Entry::positions(Tensor start, Tensor like) {
  AffineMap row = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  return generic(i64(), {size(like, 0), size(like, 1)}, start, row,
                 [&](mlir::ImplicitLocOpBuilder &builder,
                     mlir::ValueRange values) -> mlir::Value {
                   mlir::Value t = mlir::linalg::IndexOp::create(builder, 1);
                   t = mlir::arith::IndexCastOp::create(builder, i64(), t);
                   return mlir::arith::AddIOp::create(builder, values[0], t);
                 });
}

Tensor Entry::addSize(Tensor x, Tensor like, unsigned axis) {
  mlir::Value count =
      mlir::getValueOrCreateConstantIndexOp(b, b.getLoc(), size(like, axis));
  count = mlir::arith::IndexCastOp::create(b, i64(), count);
  return generic(i64(), size(x, 0), x, b.getMultiDimIdentityMap(1),
                 [&](mlir::ImplicitLocOpBuilder &builder,
                     mlir::ValueRange values) -> mlir::Value {
                   return mlir::arith::AddIOp::create(builder, values[0],
                                                      count);
                 });
}
