//===- AttentionGrad.cpp - Decomposition of xf.attention_grad -------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/xf/decompose/AttentionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace dragoman;
using namespace dragoman::xf;
using mlir::Value;

namespace {

/// G1 to G4 of SPEC.md as tensors over [B,H,T,S].
class GradientParts {
public:
  GradientParts(AttentionGradOp op, mlir::OpBuilder &builder)
      : op(op), form(op), attention(form, builder), tensors(attention.tensors),
        builder(builder), acc(attention.acc) {}

  llvm::SmallVector<Value> build();

private:
  using Body = llvm::function_ref<Value(ScalarBuilder &, mlir::ValueRange)>;
  Value entries(llvm::ArrayRef<Value> inputs, Body body);
  Value rows(Value tensor);
  Value liveEntries(Value scores);
  Value meanOfRows(Value weights, Value dweights);
  Value group(Value tensor);
  Value contract(Value scores, Value other, bool keys);
  Value productGradient(Value dscores, Value product);
  Value biasGradient(Value dscores);
  Value captureGradient(int64_t capture);
  Value readGradient(const Value *inputs, mlir::Region &region, unsigned first,
                     Value capture);

  AttentionGradOp op;
  AttentionForm form;
  AttentionParts attention;
  TensorBuilder &tensors;
  mlir::OpBuilder &builder;
  mlir::Type acc;
  Value live;
  Value scoreInputs[2], probInputs[2]; ///< value and cotangent of the regions
};

} // namespace

/// One value per entry that takes part, else 0; `inputs` over [B,H,T,S], or
/// [B,H,T].
Value GradientParts::entries(llvm::ArrayRef<Value> inputs, Body body) {
  llvm::SmallVector<GenericInput> all = {
      tensors.onLoops(live, {0, 1, 2, 3}, 4)};
  for (Value input : inputs)
    all.push_back(
        tensors.onLoops(input, axisRange(0, tensorType(input).getRank()), 4));
  return tensors.elementwise(all, attention.scoreSizes, acc,
                             [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                               return scalar.select(
                                   in[0], body(scalar, in.drop_front()),
                                   scalar.constant(acc, 0.0));
                             });
}

/// Visible, with a score and a row that are not -inf.
Value GradientParts::liveEntries(Value scores) {
  Value visible = attention.visibility();
  llvm::SmallVector<GenericInput> inputs = {
      tensors.onLoops(scores, {0, 1, 2, 3}, 4),
      tensors.onLoops(op.getLse(), {0, 1, 2}, 4)};
  if (visible)
    inputs.push_back(tensors.onLoops(visible, {0, 1, 2, 3}, 4));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return tensors.elementwise(
      inputs, attention.scoreSizes, builder.getI1Type(),
      [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value low = scalar.constant(acc, -infinity);
        auto no = mlir::arith::ConstantOp::create(
            scalar.builder, scalar.loc, scalar.builder.getBoolAttr(false));
        auto yes = mlir::arith::ConstantOp::create(
            scalar.builder, scalar.loc, scalar.builder.getBoolAttr(true));
        Value some = scalar.select(scalar.equal(in[0], low), no, yes);
        some = scalar.select(scalar.equal(in[1], low), no, some);
        return visible ? scalar.both(some, in[2]) : some;
      });
}

/// sum_j w * dw - dlse, as [B,H,T].
Value GradientParts::meanOfRows(Value weights, Value dweights) {
  Value mean =
      tensors.reduce({tensors.onLoops(weights, {0, 1, 2, 3}, 4),
                      tensors.onLoops(dweights, {0, 1, 2, 3}, 4)},
                     attention.scoreSizes, 1, acc, 0.0,
                     [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                       return scalar.add(in[2], scalar.multiply(in[0], in[1]));
                     });
  if (!op.getDlse())
    return mean;
  auto identity = builder.getMultiDimIdentityMap(3);
  return tensors.elementwise({{mean, identity}, {op.getDlse(), identity}},
                             llvm::ArrayRef(attention.scoreSizes).take_front(3),
                             acc,
                             [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                               return scalar.subtract(in[0], in[1]);
                             });
}

/// [B,H,..] as [B,Hk,H/Hk,..].
Value GradientParts::group(Value tensor) {
  llvm::SmallVector<mlir::OpFoldResult> sizes = tensors.sizes(tensor);
  sizes[1] = builder.getIndexAttr(form.keyHeads);
  sizes.insert(sizes.begin() + 2,
               builder.getIndexAttr(form.heads / form.keyHeads));
  auto type = tensorType(tensor);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[1] = form.keyHeads;
  shape.insert(shape.begin() + 2, form.heads / form.keyHeads);
  return mlir::tensor::ExpandShapeOp::create(
      builder, op.getLoc(),
      mlir::RankedTensorType::get(shape, type.getElementType()), tensor,
      llvm::ArrayRef<mlir::ReassociationIndices>{{0}, {1, 2}, {3}, {4}}, sizes);
}

/// sum over j of scores * other[B,H,S,size] (`keys` false), or over the rows
/// and heads of a group of scores * other[B,H,T,size] (`keys` true).
Value GradientParts::contract(Value scores, Value other, bool keys) {
  auto term = [&](ScalarBuilder &scalar, mlir::ValueRange in) {
    Value product = scalar.multiply(in[1], in[2]);
    return scalar.add(in.back(),
                      scalar.select(in[0], product, scalar.constant(acc, 0.0)));
  };
  llvm::SmallVector<mlir::OpFoldResult> loops(attention.scoreSizes);
  mlir::OpFoldResult size = tensors.size(other, 3);
  if (!keys) {
    loops[3] = size;
    loops.push_back(attention.keys);
    return tensors.reduce({tensors.onLoops(live, {0, 1, 2, 4}, 5),
                           tensors.onLoops(scores, {0, 1, 2, 4}, 5),
                           tensors.onLoops(other, {0, 1, 4, 3}, 5)},
                          loops, 1, acc, 0.0, term);
  }
  // Loops b, key head, j, d and the reductions over group and i.
  llvm::SmallVector<mlir::OpFoldResult> sizes = {
      loops[0],
      builder.getIndexAttr(form.keyHeads),
      loops[3],
      size,
      builder.getIndexAttr(form.heads / form.keyHeads),
      loops[2]};
  return tensors.reduce({tensors.onLoops(group(live), {0, 1, 4, 5, 2}, 6),
                         tensors.onLoops(group(scores), {0, 1, 4, 5, 2}, 6),
                         tensors.onLoops(group(other), {0, 1, 4, 5, 3}, 6)},
                        sizes, 2, acc, 0.0, term);
}

/// The gradient of the bias: a sum over the axes that broadcast.
Value GradientParts::biasGradient(Value dscores) {
  mlir::RankedTensorType type = tensorType(op.getBias());
  llvm::SmallVector<unsigned> kept, summed;
  for (unsigned axis = 0; axis < 4; ++axis)
    (type.getDimSize(axis) == 1 ? summed : kept).push_back(axis);
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  llvm::SmallVector<unsigned> loopOfAxis(4);
  for (unsigned axis : llvm::concat<unsigned>(kept, summed)) {
    loopOfAxis[axis] = sizes.size();
    sizes.push_back(attention.scoreSizes[axis]);
  }
  Value sum = dscores;
  if (!summed.empty())
    sum = tensors.reduce({tensors.onLoops(dscores, loopOfAxis, 4)}, sizes,
                         summed.size(), acc, 0.0,
                         [&](ScalarBuilder &scalar, mlir::ValueRange in) {
                           return scalar.add(in[0], in[1]);
                         });
  sum = tensors.cast(sum, type.getElementType());
  if (summed.empty())
    return tensors.ofType(sum, op.getDbias().getType());
  // The axes of size 1 again, each beside the kept axis in front of it.
  llvm::SmallVector<mlir::ReassociationIndices> reassociation(kept.size());
  llvm::SmallVector<mlir::OpFoldResult> full;
  for (unsigned axis = 0, next = 0; axis < 4; ++axis) {
    bool isKept = next < kept.size() && kept[next] == axis;
    full.push_back(isKept ? attention.scoreSizes[axis]
                          : mlir::OpFoldResult(builder.getIndexAttr(1)));
    if (!kept.empty())
      reassociation[isKept ? next : (next ? next - 1 : 0)].push_back(axis);
    next += isKept;
  }
  llvm::SmallVector<int64_t> shape;
  for (mlir::OpFoldResult size : full)
    shape.push_back(
        mlir::getConstantIntValue(size).value_or(mlir::ShapedType::kDynamic));
  Value expanded = mlir::tensor::ExpandShapeOp::create(
      builder, op.getLoc(),
      mlir::RankedTensorType::get(shape, type.getElementType()), sum,
      reassociation, full);
  return tensors.ofType(expanded, op.getDbias().getType());
}

/// The sum of one read's derivatives by batch row, key head and element of the
/// capture: over all entries, those that read the element. `first` is the
/// number of the derivative among the reversed region's results; its indices
/// follow.
Value GradientParts::readGradient(const Value *inputs, mlir::Region &region,
                                  unsigned first, Value capture) {
  unsigned rank = tensorType(capture).getRank();
  Value derivative = entries(
      {inputs[0], inputs[1]}, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        return attention.inlineRegion(scalar, region, in[0], in[1], first);
      });
  // Loops b, key head, the capture's axes; group, i and j are summed.
  llvm::ArrayRef<mlir::OpFoldResult> all = attention.scoreSizes;
  llvm::SmallVector<mlir::OpFoldResult> loops = {
      all[0], builder.getIndexAttr(form.keyHeads)};
  llvm::append_range(loops, tensors.sizes(capture));
  loops.push_back(builder.getIndexAttr(form.heads / form.keyHeads));
  loops.append({all[2], all[3]});
  llvm::SmallVector<unsigned> at = {0, 1, rank + 2, rank + 3, rank + 4};
  llvm::SmallVector<GenericInput> ins = {
      tensors.onLoops(group(derivative), at, rank + 5)};
  auto i64 = builder.getI64Type();
  for (unsigned axis = 0; axis < rank; ++axis) {
    auto identity = builder.getMultiDimIdentityMap(4);
    Value index = tensors.elementwise(
        {{inputs[0], identity}, {inputs[1], identity}}, all, i64,
        [&](ScalarBuilder &scalar, mlir::ValueRange in) {
          Value value = attention.inlineRegion(scalar, region, in[0], in[1],
                                               first + 1 + axis);
          return Value(mlir::arith::IndexCastOp::create(
              scalar.builder, scalar.loc, i64, value));
        });
    ins.push_back(tensors.onLoops(group(index), at, rank + 5));
  }
  return tensors.reduce(
      ins, loops, 3, acc, 0.0, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
        Value term = in[0];
        for (unsigned axis = 0; axis < rank; ++axis) {
          Value own = mlir::arith::IndexCastOp::create(
              scalar.builder, scalar.loc, i64, scalar.loop(2 + axis));
          Value same = mlir::arith::CmpIOp::create(
              scalar.builder, scalar.loc, mlir::arith::CmpIPredicate::eq, own,
              in[1 + axis]);
          term = scalar.select(same, term, scalar.constant(acc, 0.0));
        }
        return scalar.add(in.back(), term);
      });
}

Value GradientParts::captureGradient(int64_t number) {
  Value capture = op.getCaptures()[number], total;
  auto add = [&](const Value *inputs, mlir::Region &region,
                 llvm::ArrayRef<int64_t> reads) {
    unsigned first = 1;
    for (int64_t read : reads) {
      if (read == number) {
        Value part = readGradient(inputs, region, first, capture);
        auto identity =
            builder.getMultiDimIdentityMap(tensorType(part).getRank());
        total = !total ? part
                       : tensors.elementwise(
                             {{total, identity}, {part, identity}},
                             tensors.sizes(part), acc,
                             [](ScalarBuilder &scalar, mlir::ValueRange in) {
                               return scalar.add(in[0], in[1]);
                             });
      }
      first += 1 + tensorType(op.getCaptures()[read]).getRank();
    }
  };
  add(scoreInputs, op.getScoreReverse(), op.getScoreReads());
  add(probInputs, op.getProbReverse(), op.getProbReads());
  return total;
}

/// G3 from the biased scores to the products: back through softcap and scale.
Value GradientParts::productGradient(Value dscores, Value product) {
  return entries({dscores, product}, [&](ScalarBuilder &scalar,
                                         mlir::ValueRange in) {
    Value ds = in[0];
    if (form.softcap > 0) {
      Value t =
          scalar.tanh(scalar.divide(in[1], scalar.constant(acc, form.softcap)));
      Value slope =
          scalar.subtract(scalar.constant(acc, 1.0), scalar.multiply(t, t));
      ds = scalar.multiply(ds, slope);
    }
    return scalar.multiply(ds, scalar.constant(acc, form.scale));
  });
}

llvm::SmallVector<Value> GradientParts::build() {
  auto inAcc = [&](Value tensor, llvm::StringRef layout) {
    return tensors.cast(attention.meaning(tensor, layout), acc);
  };
  Value q = inAcc(form.q, form.qLayout),
        dout = inAcc(op.getDout(), form.outLayout);
  Value k = attention.keysOrValues(form.k, form.kLayout);
  Value v = attention.keysOrValues(form.v, form.vLayout);

  // G1: weights and their gradients.
  Value product = attention.product(q, k);
  Value biased = attention.biased(product);
  Value scores = attention.scores(product);
  live = liveEntries(scores);
  Value weights = entries({scores, op.getLse()},
                          [](ScalarBuilder &scalar, mlir::ValueRange in) {
                            return scalar.exp(scalar.subtract(in[0], in[1]));
                          });
  Value used = weights;
  if (form.prob)
    used = entries({weights}, [&](ScalarBuilder &scalar, mlir::ValueRange in) {
      return attention.inlineRegion(scalar, *form.prob, in[0]);
    });
  used = attention.dropped(used);
  Value dused = MatmulOp::create(builder, op.getLoc(), product.getType(), dout,
                                 v, /*transpose_a=*/false,
                                 /*transpose_b=*/true, llvm::APFloat(1.0));
  dused = attention.dropped(dused);
  Value dweights = dused;
  if (form.prob)
    dweights = entries({weights, dused}, [&](ScalarBuilder &scalar,
                                             mlir::ValueRange in) {
      return attention.inlineRegion(scalar, op.getProbReverse(), in[0], in[1]);
    });
  else // hidden entries are 0, so that they take no part in the mean
    dweights = entries(
        {dused}, [](ScalarBuilder &, mlir::ValueRange in) { return in[0]; });

  // G2 and G3.
  Value mean = meanOfRows(weights, dweights);
  Value dscores = entries({weights, dweights, mean}, [](ScalarBuilder &scalar,
                                                        mlir::ValueRange in) {
    return scalar.multiply(in[0], scalar.subtract(in[1], in[2]));
  });
  probInputs[0] = weights;
  probInputs[1] = dused;
  scoreInputs[0] = biased;
  scoreInputs[1] = dscores;
  if (form.score)
    dscores = entries({biased, dscores}, [&](ScalarBuilder &scalar,
                                             mlir::ValueRange in) {
      return attention.inlineRegion(scalar, op.getScoreReverse(), in[0], in[1]);
    });
  Value dproduct = productGradient(dscores, product);

  // G4.
  auto result = [&](Value tensor, llvm::StringRef layout, Value like) {
    mlir::RankedTensorType type = tensorType(like);
    return tensors.ofType(
        attention.meaning(tensors.cast(tensor, type.getElementType()), layout),
        type);
  };
  llvm::SmallVector<Value> results = {
      result(contract(dproduct, k, false), form.qLayout, op.getDq()),
      result(contract(dproduct, q, true), form.kLayout, op.getDk()),
      result(contract(used, dout, true), form.vLayout, op.getDv())};
  if (op.getDbias())
    results.push_back(biasGradient(dscores));
  for (auto [gradient, capture] :
       llvm::zip(op.getDcaptures(), op.differentiatedCaptures()))
    results.push_back(
        tensors.ofType(captureGradient(capture), gradient.getType()));
  return results;
}

llvm::FailureOr<llvm::SmallVector<Value>>
AttentionGradOp::decompose(mlir::OpBuilder &builder) {
  return GradientParts(*this, builder).build();
}
