//===- FunctionExport.cpp - A function of xf ops as a graph ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/export/FunctionExport.h"

#include "dialects/plan/Plan.h"
#include "dialects/xf/Xf.h"
#include "frontends/onnx/export/GraphBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <set>

using namespace dragoman;
using namespace dragoman::onnx;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;

namespace {

class FunctionExport {
public:
  FunctionExport(mlir::func::FuncOp function, const WeightValues &weights,
                 const std::map<std::string, std::string> &dimNames)
      : function(function), weights(weights), dimNames(dimNames),
        b(out.graph, out.storage) {}

  mlir::FailureOr<ExportedGraph> run();

private:
  ValueInfo border(mlir::Type type, mlir::DictionaryAttr attributes);
  LogicalResult visit(mlir::Operation &op);
  void dropUnused();
  LogicalResult load(plan::LoadOp op);
  LogicalResult embedding(xf::EmbeddingOp op);
  LogicalResult linear(xf::LinearOp op);
  LogicalResult layerNorm(xf::LayerNormOp op);
  LogicalResult attention(xf::AttentionOp op);
  LogicalResult reshape(mlir::Operation *op, Value from, Value to);
  LogicalResult generic(mlir::linalg::GenericOp op);
  LogicalResult scalar(mlir::Operation &op);

  /// The graph's name of a value of the function.
  std::string name(Value value) const { return names.at(value); }
  void define(Value value, std::string text) { names[value] = std::move(text); }
  std::string activation(llvm::StringRef kind, const std::string &x);
  /// The size of an axis as int64 [1].
  std::string size(Value tensor, int64_t axis);
  bool range(mlir::linalg::GenericOp op);
  std::string extent(mlir::linalg::GenericOp op, unsigned loop);
  std::string loopIndex(mlir::linalg::GenericOp op, unsigned loop,
                        unsigned loops);
  std::string genericInput(mlir::linalg::GenericOp op, unsigned input,
                           unsigned loops);

  mlir::func::FuncOp function;
  const WeightValues &weights;
  const std::map<std::string, std::string> &dimNames;
  ExportedGraph out;
  GraphBuilder b;
  llvm::DenseMap<Value, std::string> names;
};

} // namespace

static mlir::RankedTensorType tensorType(Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

static int32_t elementCode(mlir::Type type) {
  if (type.isF32())
    return Float;
  if (type.isInteger(64) || type.isIndex())
    return Int64;
  if (type.isInteger(32))
    return Int32;
  return type.isInteger(1) ? Bool : Undefined;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult FunctionExport::load(plan::LoadOp op) {
  std::string weight = op.getWeight().str();
  define(op.getResult(), weight);
  if (b.has(weight))
    return success();
  Result<std::string> bytes = weights(op.getWeight());
  if (!bytes)
    return op.emitOpError(bytes.status().toString());
  b.initializer(weight, Float, tensorType(op.getResult()).getShape().vec(),
                std::move(*bytes));
  return success();
}

LogicalResult FunctionExport::embedding(xf::EmbeddingOp op) {
  std::string rows = b.node("Gather", {name(op.getTable()), name(op.getIds())});
  double scale = op.getScale().convertToDouble();
  define(op.getY(),
         scale == 1.0 ? rows : b.node("Mul", {rows, b.number(scale)}));
  return success();
}

std::string FunctionExport::activation(llvm::StringRef kind,
                                       const std::string &x) {
  if (kind == "relu")
    return b.node("Relu", {x});
  if (kind == "tanh")
    return b.node("Tanh", {x});
  if (kind == "sigmoid")
    return b.node("Sigmoid", {x});
  if (kind == "silu")
    return b.node("Mul", {x, b.node("Sigmoid", {x})});
  if (kind != "gelu")
    return x;
  std::string erf =
      b.node("Erf", {b.node("Div", {x, b.number(std::sqrt(2.0))})});
  std::string half = b.node("Mul", {x, b.node("Add", {erf, b.number(1)})});
  return b.node("Mul", {half, b.number(0.5)});
}

LogicalResult FunctionExport::linear(xf::LinearOp op) {
  if (op.getActivation() == "gelu_tanh")
    return op.emitOpError("has no ONNX form with activation gelu_tanh");
  std::string turned =
      b.node("Transpose", {name(op.getW())}, {intsAttribute("perm", {1, 0})});
  std::string y = b.node("MatMul", {name(op.getX()), turned});
  if (op.getB())
    y = b.node("Add", {y, name(op.getB())});
  define(op.getY(), activation(op.getActivation(), y));
  return success();
}

LogicalResult FunctionExport::layerNorm(xf::LayerNormOp op) {
  if (!op.getG())
    return op.emitOpError("has no ONNX form without a gain");
  std::vector<std::string> inputs = {name(op.getX()), name(op.getG())};
  if (op.getB())
    inputs.push_back(name(op.getB()));
  define(op.getY(),
         b.node("LayerNormalization", inputs,
                {intAttribute("axis", -op.getAxes()),
                 floatAttribute("epsilon", op.getEps().convertToDouble())}));
  return success();
}

/// Scores, mask, softmax, values; the mask hides by the lowest number, as
/// exporters write it.
LogicalResult FunctionExport::attention(xf::AttentionOp op) {
  bool plain = !op.getBias() && !op.getKeyCount() && !op.getStarts() &&
               !op.getOffset() && !op.getRows() && op.getScore().empty() &&
               op.getProb().empty() && !op.getCausal() && op.getLeft() < 0 &&
               op.getRight() < 0 && op.getSoftcap().isZero() &&
               op.getLse().use_empty();
  if (!plain || op.queryHeads() != op.keyHeads())
    return op.emitOpError("has no ONNX form but with a mask alone");
  auto heads = [&](Value value, llvm::StringRef layout) {
    return layout == "bthd" ? b.node("Transpose", {name(value)},
                                     {intsAttribute("perm", {0, 2, 1, 3})})
                            : name(value);
  };
  std::vector<int64_t> turn = {0, 1, 3, 2};
  if (op.getKLayout() == "bthd")
    turn = {0, 2, 3, 1};
  std::string keys =
      b.node("Transpose", {name(op.getK())}, {intsAttribute("perm", turn)});
  std::string scores =
      b.node("MatMul", {heads(op.getQ(), op.getQLayout()), keys});
  scores = b.node("Mul", {scores, b.number(op.scaleOrDefault())});
  if (op.getMask()) {
    std::string hidden = b.number(std::numeric_limits<float>::lowest());
    std::string bias =
        b.node("Where", {name(op.getMask()), b.number(0), hidden});
    scores = b.node("Add", {scores, bias});
  }
  std::string read =
      b.node("MatMul", {b.node("Softmax", {scores}, {intAttribute("axis", -1)}),
                        heads(op.getV(), op.getVLayout())});
  if (op.getOutLayout() == "bthd")
    read = b.node("Transpose", {read}, {intsAttribute("perm", {0, 2, 1, 3})});
  define(op.getOut(), read);
  return success();
}

/// Sizes that keep their place are written as 0, one other as -1.
LogicalResult FunctionExport::reshape(mlir::Operation *op, Value from,
                                      Value to) {
  auto source = tensorType(from), target = tensorType(to);
  std::vector<int64_t> shape;
  bool open = false;
  for (int64_t axis = 0; axis < target.getRank(); ++axis) {
    bool kept = axis < source.getRank() && source.isDynamicDim(axis);
    if (!target.isDynamicDim(axis)) {
      shape.push_back(target.getDimSize(axis));
    } else if (kept && !open) {
      shape.push_back(0);
    } else if (!open) {
      shape.push_back(-1);
      open = true;
    } else {
      return op->emitOpError("has no ONNX form with two sizes that change");
    }
  }
  define(to, b.node("Reshape", {name(from), b.integers(shape)}));
  return success();
}

//===----------------------------------------------------------------------===//
// Generics
//===----------------------------------------------------------------------===//

std::string FunctionExport::size(Value tensor, int64_t axis) {
  if (!tensorType(tensor).isDynamicDim(axis))
    return b.integers({tensorType(tensor).getDimSize(axis)});
  return b.node("Gather",
                {b.node("Shape", {name(tensor)}), b.integers({axis})});
}

/// The input with size 1 on the loops that it lacks.
std::string FunctionExport::genericInput(mlir::linalg::GenericOp op,
                                         unsigned input, unsigned loops) {
  mlir::AffineMap map = op.getIndexingMapsArray()[input];
  std::string value = name(op.getInputs()[input]);
  std::vector<int64_t> missing;
  for (unsigned loop = 0; loop < loops; ++loop)
    if (!map.isFunctionOfDim(loop))
      missing.push_back(loop);
  return missing.empty() ? value
                         : b.node("Unsqueeze", {value, b.integers(missing)});
}

/// The size of a loop as int64 [].
std::string FunctionExport::extent(mlir::linalg::GenericOp op, unsigned loop) {
  auto empty = op.getOutputs()[0].getDefiningOp<mlir::tensor::EmptyOp>();
  mlir::OpFoldResult size = empty.getMixedSizes()[loop];
  if (auto value = llvm::dyn_cast<Value>(size))
    return name(value);
  return b.integer(
      llvm::cast<mlir::IntegerAttr>(llvm::cast<mlir::Attribute>(size))
          .getInt());
}

/// 0, 1, .. along one loop, size 1 along the others.
std::string FunctionExport::loopIndex(mlir::linalg::GenericOp op, unsigned loop,
                                      unsigned loops) {
  std::string range =
      b.node("Range", {b.integer(0), extent(op, loop), b.integer(1)});
  std::vector<int64_t> others;
  for (unsigned other = 0; other < loops; ++other)
    if (other != loop)
      others.push_back(other);
  return others.empty() ? range
                        : b.node("Unsqueeze", {range, b.integers(others)});
}

/// A scalar op of a body or of shape arithmetic.
LogicalResult FunctionExport::scalar(mlir::Operation &op) {
  using namespace mlir;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      define(op.getResult(0), b.number(number.getValueAsDouble()));
    else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      define(op.getResult(0), b.integer(integer.getInt()));
    else
      return op.emitOpError("has no ONNX form");
    return success();
  }
  if (isa<arith::IndexCastOp>(op)) {
    define(op.getResult(0), name(op.getOperand(0)));
    return success();
  }
  std::string type;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (compare && compare.getPredicate() == arith::CmpIPredicate::ne &&
      matchPattern(compare.getRhs(), m_Zero())) {
    define(op.getResult(0), b.node("Cast", {name(compare.getLhs())},
                                   {intAttribute("to", Bool)}));
    return success();
  }
  if (compare) {
    type = llvm::StringSwitch<const char *>(
               arith::stringifyCmpIPredicate(compare.getPredicate()))
               .Case("eq", "Equal")
               .Case("slt", "Less")
               .Case("sle", "LessOrEqual")
               .Case("sgt", "Greater")
               .Case("sge", "GreaterOrEqual")
               .Default("");
  } else {
    type = llvm::TypeSwitch<Operation *, const char *>(&op)
               .Case<arith::AddFOp, arith::AddIOp>([](auto) { return "Add"; })
               .Case<arith::SubFOp, arith::SubIOp>([](auto) { return "Sub"; })
               .Case<arith::MulFOp, arith::MulIOp>([](auto) { return "Mul"; })
               .Case<arith::DivFOp>([](auto) { return "Div"; })
               .Case<arith::AndIOp>([](auto) { return "And"; })
               .Case<arith::SelectOp>([](auto) { return "Where"; })
               .Case<arith::NegFOp>([](auto) { return "Neg"; })
               .Case<math::ExpOp>([](auto) { return "Exp"; })
               .Case<math::LogOp>([](auto) { return "Log"; })
               .Case<math::SqrtOp>([](auto) { return "Sqrt"; })
               .Case<math::TanhOp>([](auto) { return "Tanh"; })
               .Default([](Operation *) { return ""; });
  }
  if (type.empty())
    return op.emitOpError("has no ONNX form");
  std::vector<std::string> inputs;
  for (Value operand : op.getOperands())
    inputs.push_back(name(operand));
  define(op.getResult(0), b.node(type, inputs));
  return success();
}

/// Consecutive numbers from 0 or from a scalar on are one Range.
bool FunctionExport::range(mlir::linalg::GenericOp op) {
  if (op.getNumLoops() != 1 || !op.getInputs().empty())
    return false;
  mlir::Block &body = op.getRegion().front();
  Value value = body.getTerminator()->getOperand(0);
  if (auto cast = value.getDefiningOp<mlir::arith::IndexCastOp>())
    value = cast.getIn();
  std::string start = b.integer(0);
  if (auto sum = value.getDefiningOp<mlir::arith::AddIOp>()) {
    if (sum.getRhs().getParentBlock() == &body)
      return false;
    start = name(sum.getRhs());
    value = sum.getLhs();
  }
  if (!value.getDefiningOp<mlir::linalg::IndexOp>())
    return false;
  std::string end = b.node("Add", {start, extent(op, 0)});
  define(op.getResult(0), b.node("Range", {start, end, b.integer(1)}));
  return true;
}

LogicalResult FunctionExport::generic(mlir::linalg::GenericOp op) {
  unsigned loops = op.getNumLoops();
  auto empty = op.getNumResults() == 1
                   ? op.getOutputs()[0].getDefiningOp<mlir::tensor::EmptyOp>()
                   : mlir::tensor::EmptyOp();
  if (!empty || op.getNumReductionLoops() != 0 ||
      !llvm::all_of(op.getIndexingMapsArray(), [](mlir::AffineMap map) {
        return map.isProjectedPermutation() &&
               llvm::is_sorted(
                   llvm::map_range(map.getResults(), [](mlir::AffineExpr expr) {
                     return llvm::cast<mlir::AffineDimExpr>(expr).getPosition();
                   }));
      }))
    return op.emitOpError("has no ONNX form but elementwise");
  if (range(op))
    return success();
  mlir::Block &body = op.getRegion().front();
  for (unsigned i = 0; i < op.getInputs().size(); ++i)
    define(body.getArgument(i), genericInput(op, i, loops));
  for (mlir::Operation &inner : body.without_terminator()) {
    if (auto index = llvm::dyn_cast<mlir::linalg::IndexOp>(inner))
      define(index.getResult(), loopIndex(op, index.getDim(), loops));
    else if (failed(scalar(inner)))
      return failure();
  }
  define(op.getResult(0), name(body.getTerminator()->getOperand(0)));
  return success();
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult FunctionExport::visit(mlir::Operation &op) {
  using namespace mlir;
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](plan::LoadOp load) { return this->load(load); })
      .Case([&](xf::EmbeddingOp embed) { return embedding(embed); })
      .Case([&](xf::LinearOp layer) { return linear(layer); })
      .Case([&](xf::LayerNormOp norm) { return layerNorm(norm); })
      .Case([&](xf::AttentionOp attend) { return attention(attend); })
      .Case([&](linalg::GenericOp body) { return generic(body); })
      .Case([&](linalg::TransposeOp turn) {
        define(turn->getResult(0),
               b.node("Transpose", {name(turn.getInput())},
                      {intsAttribute("perm", turn.getPermutation().vec())}));
        return success();
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto view) {
        return reshape(view, view.getSrc(), view.getResult());
      })
      .Case([&](tensor::ConcatOp concat) {
        std::vector<std::string> inputs;
        for (Value input : concat.getInputs())
          inputs.push_back(name(input));
        define(
            concat.getResult(),
            b.node("Concat", inputs, {intAttribute("axis", concat.getDim())}));
        return success();
      })
      .Case([&](tensor::DimOp dim) {
        std::string one = size(dim.getSource(), *dim.getConstantIndex());
        define(dim.getResult(), b.node("Squeeze", {one, b.integers({0})}));
        return success();
      })
      .Case([](tensor::EmptyOp) { return success(); })
      .Default([&](Operation *other) { return scalar(*other); });
}

ValueInfo FunctionExport::border(mlir::Type type,
                                 mlir::DictionaryAttr attributes) {
  auto tensor = llvm::cast<mlir::RankedTensorType>(type);
  ValueInfo info;
  info.name = attributes.getAs<mlir::StringAttr>("xf.name").getValue().str();
  info.type = elementCode(tensor.getElementType());
  auto dims = attributes.getAs<mlir::ArrayAttr>("xf.dims");
  info.hasShape = dims != nullptr;
  for (int64_t axis = 0; info.hasShape && axis < tensor.getRank(); ++axis) {
    if (!tensor.isDynamicDim(axis)) {
      info.shape.push_back({tensor.getDimSize(axis), ""});
      continue;
    }
    std::string text = llvm::cast<mlir::StringAttr>(dims[axis]).str();
    auto found = dimNames.find(text);
    info.shape.push_back(
        {std::nullopt, found == dimNames.end() ? text : found->second});
  }
  return info;
}

mlir::FailureOr<ExportedGraph> FunctionExport::run() {
  out.graph.name = function.getSymName().str();
  mlir::Block &body = function.getBody().front();
  for (mlir::BlockArgument argument : body.getArguments()) {
    ValueInfo info = border(argument.getType(),
                            function.getArgAttrDict(argument.getArgNumber()));
    define(argument, info.name);
    out.graph.inputs.push_back(std::move(info));
  }
  for (mlir::Operation &op : body.without_terminator())
    if (failed(visit(op)))
      return failure();
  for (mlir::OpOperand &operand : body.getTerminator()->getOpOperands()) {
    ValueInfo info =
        border(operand.get().getType(),
               function.getResultAttrDict(operand.getOperandNumber()));
    b.alias(name(operand.get()), info.name);
    out.graph.outputs.push_back(std::move(info));
  }
  dropUnused();
  return std::move(out);
}

/// Constants of scalar ops that became part of another node.
void FunctionExport::dropUnused() {
  std::set<std::string> used;
  for (const Node &node : out.graph.nodes)
    used.insert(node.inputs.begin(), node.inputs.end());
  std::erase_if(out.graph.initializers,
                [&](const Tensor &tensor) { return !used.count(tensor.name); });
}

mlir::FailureOr<ExportedGraph>
onnx::exportFunction(mlir::func::FuncOp function, const WeightValues &weights,
                     const std::map<std::string, std::string> &dimNames) {
  return FunctionExport(function, weights, dimNames).run();
}
