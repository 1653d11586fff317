//===- RandomTrainingTest.cpp - Random updates and loops, compiled --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small random models of the form of training entries: parameters are slices of
// one flat state, gradients are joined and added to another, updates happen in
// place, and loops over blocks of rows and over steps carry values. The machine
// code must follow the interpreter on the module as it was built, over several
// runs on the same states. A failing module is printed with its seed.
//
//===----------------------------------------------------------------------===//

#include "test/pipeline/CompiledModel.h"

#include "compiler/interpret/Interpreter.h"
#include "tools/driver/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace dragoman;
using namespace dragoman::test;
using interpret::Element;
using interpret::Tensor;

namespace {

/// Writes functions over values of [N,6], matrices [6,6] and vectors [6].
class ModuleWriter {
public:
  explicit ModuleWriter(unsigned seed) : random(seed) {
    for (unsigned i = 0, n = 2 + pick(4); i < n; ++i)
      isMatrix.push_back(pick(2));
    isMatrix.push_back(true);
    for (bool matrix : isMatrix) {
      // A gap in front makes offsets odd.
      size += pick(2);
      offsets.push_back(size);
      size += matrix ? 36 : 6;
    }
  }

  std::string write() {
    std::string flat = flatType();
    std::string text;
    for (const char *state : {"p", "g", "a", "m", "v"})
      text += "plan.state @" + std::string(state) + " : " + flat +
              " {dims = [\"" + std::to_string(size) +
              "\"], append_axis = 0 : i64}\n";
    return text + backward() + update() + blocks() + steps() + optimise() +
           chunks();
  }

  int64_t size = 0; ///< of each state

private:
  unsigned pick(unsigned count) { return random() % count; }
  std::string flatType() { return "tensor<" + std::to_string(size) + "xf32>"; }
  std::string fresh() { return "%v" + std::to_string(names++); }
  void line(const std::string &text) { body += "  " + text + "\n"; }

  static constexpr const char *rows = "tensor<?x6xf32>";
  static constexpr const char *matrix = "tensor<6x6xf32>";
  static constexpr const char *vector = "tensor<6xf32>";

  /// An elementwise sum, product or affine mix of two tensors of one type.
  std::string mix(const std::string &a, const std::string &b,
                  const std::string &type, const std::string &empty) {
    bool isVector = type == vector || type == flatType();
    std::string map =
        isVector ? "affine_map<(i) -> (i)>" : "affine_map<(i, j) -> (i, j)>";
    std::string result = fresh();
    line(result + " = linalg.generic {indexing_maps = [" + map + ", " + map +
         ", " + map + "], iterator_types = [" +
         (isVector ? "\"parallel\"" : "\"parallel\", \"parallel\"") +
         "]} ins(" + a + ", " + b + " : " + type + ", " + type + ") outs(" +
         empty + " : " + type + ") {\n  ^bb0(%x0: f32, %x1: f32, %o: f32):");
    line("%half = arith.constant 0.5 : f32\n    %y0 = arith.mulf %x1, %half : "
         "f32");
    line(
        "%y1 = arith.addf %x0, %y0 : f32\n    linalg.yield %y1 : f32\n  } -> " +
        type);
    return result;
  }
  std::string emptyOf(const std::string &type, const std::string &count) {
    std::string result = fresh();
    line(result + " = tensor.empty(" + (type == rows ? count : "") +
         ") : " + type);
    return result;
  }
  std::string unary(const std::string &op, const std::string &x,
                    const std::string &type) {
    std::string result = fresh();
    line(result + " = xf." + op + " " + x + " : (" + type + ") -> " + type);
    return result;
  }
  std::string product(const std::string &a, const std::string &aType,
                      const std::string &b, const std::string &bType,
                      const std::string &type, const std::string &attributes) {
    std::string result = fresh();
    line(result + " = xf.matmul " + a + ", " + b + " {" + attributes + "} : (" +
         aType + ", " + bType + ") -> " + type);
    return result;
  }
  /// Parameter `number` as a value.
  std::string parameter(size_t number, const std::string &flat) {
    std::string piece = fresh(),
                count = std::to_string(isMatrix[number] ? 36 : 6);
    line(piece + " = tensor.extract_slice " + flat + "[" +
         std::to_string(offsets[number]) + "] [" + count +
         "] [1] : " + flatType() + " to tensor<" + count + "xf32>");
    if (!isMatrix[number])
      return piece;
    std::string result = fresh();
    line(result + " = tensor.expand_shape " + piece +
         " [[0, 1]] output_shape [6, 6] : tensor<36xf32> into tensor<6x6xf32>");
    return result;
  }
  std::string addBias(const std::string &x, const std::string &bias,
                      const std::string &empty) {
    std::string result = fresh();
    line(result +
         " = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
         "affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], "
         "iterator_types = [\"parallel\", \"parallel\"]} ins(" +
         x + ", " + bias + " : " + rows + ", " + vector + ") outs(" + empty +
         " : " + rows +
         ") {\n  ^bb0(%x0: f32, %x1: f32, %o: f32):\n    %y = "
         "arith.addf %x0, %x1 : f32\n    linalg.yield %y : f32\n"
         "  } -> " +
         rows);
    return result;
  }
  std::string columnSum(const std::string &x) {
    std::string zero = fresh(), result = fresh(), empty = emptyOf(vector, "");
    line(zero + " = linalg.fill ins(%zero : f32) outs(" + empty + " : " +
         vector + ") -> " + vector);
    line(result +
         " = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, "
         "affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", "
         "\"reduction\"]} ins(" +
         x + " : " + rows + ") outs(" + zero + " : " + vector +
         ") {\n  ^bb0(%x0: f32, %o: f32):\n    %y = arith.addf %o, %x0 : f32\n"
         "    linalg.yield %y : f32\n  } -> " +
         vector);
    return result;
  }

  /// A random value of [count,6] made of others and parameters.
  std::string rowOp(std::vector<std::string> &values,
                    const std::vector<std::string> &parameters,
                    const std::string &count) {
    auto any = [&] { return values[pick(values.size())]; };
    size_t number = pick(parameters.size());
    switch (pick(6)) {
    case 0:
      return unary("silu", any(), rows);
    case 1:
      return unary("softmax", any(), rows);
    case 2:
      return mix(any(), any(), rows, emptyOf(rows, count));
    case 3:
      if (!isMatrix[number])
        return addBias(any(), parameters[number], emptyOf(rows, count));
      [[fallthrough]];
    default:
      while (!isMatrix[number])
        number = pick(parameters.size());
      return product(any(), rows, parameters[number], matrix, rows,
                     pick(2) ? "transpose_b" : "");
    }
  }

  std::string head(const std::string &name, const std::string &arguments,
                   const std::string &results) {
    body.clear();
    line("%zero = arith.constant 0.0 : f32");
    line("%c0 = arith.constant 0 : index");
    return "func.func @" + name + "(" + arguments + ") -> (" + results +
           ") {\n";
  }
  std::string stateArgument(const std::string &name) {
    return "%" + name + ": " + flatType() + " {plan.state = @" + name + "}";
  }
  std::string stateResult(const std::string &name) {
    return flatType() + " {plan.state = @" + name + "}";
  }

  /// Adds joined gradients to @g.
  std::string backward() {
    std::string start = head(
        "backward",
        "%x: tensor<?x6xf32> {xf.name = \"x\", xf.dims = [\"N\", \"6\"]}, " +
            stateArgument("p") + ", " + stateArgument("g"),
        std::string(rows) + " {xf.name = \"y\"}, " + stateResult("g"));
    line("%n = tensor.dim %x, %c0 : tensor<?x6xf32>");
    std::vector<std::string> parameters, values = {"%x"}, pieces;
    for (size_t i = 0; i < isMatrix.size(); ++i)
      parameters.push_back(parameter(i, "%p"));
    for (int i = 0; i < 5; ++i)
      values.push_back(rowOp(values, parameters, "%n"));
    int64_t at = 0;
    std::string types;
    for (size_t i = 0; i < isMatrix.size(); ++i) {
      if (offsets[i] > at) {
        std::string gap = emptyOf("tensor<1xf32>", ""), zero = fresh();
        line(zero + " = linalg.fill ins(%zero : f32) outs(" + gap +
             " : tensor<1xf32>) -> tensor<1xf32>");
        pieces.push_back(zero);
        types += ", tensor<1xf32>";
      }
      std::string piece = gradient(i, parameters, values);
      if (isMatrix[i]) {
        std::string collapsed = fresh();
        line(collapsed + " = tensor.collapse_shape " + piece +
             " [[0, 1]] : tensor<6x6xf32> into tensor<36xf32>");
        piece = collapsed;
      }
      pieces.push_back(piece);
      types += isMatrix[i] ? ", tensor<36xf32>" : ", tensor<6xf32>";
      at = offsets[i] + (isMatrix[i] ? 36 : 6);
    }
    std::string joined = fresh(), list;
    for (const std::string &piece : pieces)
      list += (list.empty() ? "" : ", ") + piece;
    line(joined + " = tensor.concat dim(0) " + list + " : (" + types.substr(2) +
         ") -> " + flatType());
    std::string sum = mix("%g", joined, flatType(), emptyOf(flatType(), ""));
    return start + body + "  return " + values.back() + ", " + sum + " : " +
           rows + ", " + flatType() + "\n}\n";
  }

  std::string gradient(size_t number,
                       const std::vector<std::string> &parameters,
                       const std::vector<std::string> &values) {
    auto any = [&] { return values[pick(values.size())]; };
    if (pick(5) == 0)
      return unary("silu", parameters[number],
                   isMatrix[number] ? matrix : vector);
    if (!isMatrix[number])
      return columnSum(any());
    std::string found = product(any(), rows, any(), rows, matrix,
                                "transpose_a, alpha = 0.125 : f64");
    // A tied parameter: a sum of two products.
    if (pick(3) == 0)
      found = mix(found,
                  product(any(), rows, any(), rows, matrix,
                          "transpose_a, alpha = 0.125 : f64"),
                  matrix, emptyOf(matrix, ""));
    return found;
  }

  /// Several updates in place; the gradients become zero.
  std::string update() {
    std::string start = head("update",
                             stateArgument("p") + ", " + stateArgument("g") +
                                 ", " + stateArgument("a"),
                             stateResult("a") + ", " + stateResult("g") + ", " +
                                 stateResult("p"));
    std::string flat = flatType();
    std::string zero = fresh(), empty = emptyOf(flat, "");
    line(zero + " = linalg.fill ins(%zero : f32) outs(" + empty + " : " + flat +
         ") -> " + flat);
    std::string p = "%p", a = "%a";
    p = mix(p, unary("softmax", "%g", flat), flat, emptyOf(flat, ""));
    if (pick(2))
      p = unary("silu", p, flat);
    a = mix(a, p, flat, emptyOf(flat, ""));
    return start + body + "  return " + a + ", " + zero + ", " + p + " : " +
           flat + ", " + flat + ", " + flat + "\n}\n";
  }

  /// Blocks of rows: a matrix is summed up and rows are written in turn.
  std::string blocks() {
    std::string block = std::to_string(1u << (1 + pick(4)));
    std::string start = head(
        "blocks",
        "%x: tensor<?x6xf32> {xf.name = \"x\", xf.dims = [\"N\", \"6\"]}, " +
            stateArgument("p"),
        std::string(rows) + " {xf.name = \"y\"}, " + matrix +
            " {xf.name = \"m\"}, " + stateResult("p"));
    line("%n = tensor.dim %x, %c0 : tensor<?x6xf32>");
    line("%step = arith.constant " + block + " : index");
    std::vector<std::string> parameters;
    for (size_t i = 0; i < isMatrix.size(); ++i)
      parameters.push_back(parameter(i, "%p"));
    std::string y = emptyOf(rows, "%n"), empty = emptyOf(matrix, ""),
                m = fresh();
    line(m + " = linalg.fill ins(%zero : f32) outs(" + empty + " : " + matrix +
         ") -> " + matrix);
    line("%r:2 = scf.for %i = %c0 to %n step %step iter_args(%ya = " + y +
         ", %ma = " + m + ") -> (" + rows + ", " + matrix + ") {");
    line("%left = arith.subi %n, %i : index\n"
         "  %count = arith.minsi %left, %step : index\n"
         "  %rows = tensor.extract_slice %x[%i, 0] [%count, 6] [1, 1] : "
         "tensor<?x6xf32> to tensor<?x6xf32>");
    std::vector<std::string> values = {"%rows"};
    for (int i = 0; i < 4; ++i)
      values.push_back(rowOp(values, parameters, "%count"));
    std::string part =
        product(values[pick(values.size())], rows, values[pick(values.size())],
                rows, matrix, "transpose_a, alpha = 0.25 : f64");
    std::string sum = mix("%ma", part, matrix, emptyOf(matrix, ""));
    if (pick(4) == 0) // read again: it cannot be summed in place
      sum = mix(sum, "%ma", matrix, emptyOf(matrix, ""));
    line("%yb = tensor.insert_slice " + values.back() +
         " into %ya[%i, 0] [%count, 6] [1, 1] : tensor<?x6xf32> into "
         "tensor<?x6xf32>");
    line("scf.yield %yb, " + sum + " : " + rows + ", " + matrix + "\n  }");
    return start + body + "  return %r#0, %r#1, %p : " + rows + ", " + matrix +
           ", " + flatType() + "\n}\n";
  }

  /// A recurrence over three steps of 2 rows; two values may change places.
  std::string steps() {
    std::string start = head(
        "steps",
        "%x: tensor<3x2x6xf32> {xf.name = \"x\"}, %h: tensor<2x6xf32> "
        "{xf.name = \"h\"}, " +
            stateArgument("p"),
        "tensor<2x6xf32> {xf.name = \"a\"}, tensor<2x6xf32> {xf.name = \"b\"}, "
        "tensor<3x2x6xf32> {xf.name = \"all\"}, " +
            stateResult("p"));
    size_t number = 0;
    while (!isMatrix[number])
      ++number;
    std::string weight = parameter(number, "%p"), type = "tensor<2x6xf32>";
    line("%c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
         "  %c3 = arith.constant 3 : index");
    std::string all = emptyOf("tensor<3x2x6xf32>", "");
    line("%r:3 = scf.for %t = %c0 to %c3 step %c1 iter_args(%ha = %h, %hb = "
         "%h, %all = " +
         all + ") -> (" + type + ", " + type + ", tensor<3x2x6xf32>) {");
    std::string at = "%t";
    if (pick(2)) { // from the last step to the first
      line("%back = arith.subi %c2, %t : index");
      at = "%back";
    }
    line("%xt = tensor.extract_slice %x[" + at +
         ", 0, 0] [1, 2, 6] [1, 1, 1] : tensor<3x2x6xf32> to tensor<2x6xf32>");
    std::string next = product("%ha", type, weight, matrix, type, "");
    next = unary("silu", mix(next, "%xt", type, emptyOf(type, "")), type);
    line("%alln = tensor.insert_slice " + next + " into %all[" + at +
         ", 0, 0] [1, 2, 6] [1, 1, 1] : tensor<2x6xf32> into "
         "tensor<3x2x6xf32>");
    std::string second = pick(2) ? "%ha" : "%hb";
    bool exchange = pick(2);
    line("scf.yield " + (exchange ? second : next) + ", " +
         (exchange ? next : second) + ", %alln : " + type + ", " + type +
         ", tensor<3x2x6xf32>\n  }");
    return start + body + "  return %r#0, %r#1, %r#2, %p : " + type + ", " +
           type + ", tensor<3x2x6xf32>, " + flatType() + "\n}\n";
  }

  /// An optimiser of several states, scaled by the norm of the gradients.
  std::string optimise() {
    std::string flat = flatType();
    bool adam = pick(2);
    std::string start =
        head("optimise",
             "%lr: tensor<f32> {xf.name = \"lr\"}, %step: tensor<i64> "
             "{xf.name = \"step\"}, " +
                 stateArgument("p") + ", " + stateArgument("g") + ", " +
                 stateArgument("m") + ", " + stateArgument("v"),
             "tensor<1xf32> {xf.name = \"norm\"}, " + stateResult("p") + ", " +
                 stateResult("g") + ", " + stateResult("m") + ", " +
                 stateResult("v"));
    line("%norm = xf.global_norm %g : (" + flat + ") -> tensor<1xf32>");
    line("%scale = tensor.collapse_shape %norm [] : tensor<1xf32> into "
         "tensor<f32>");
    if (adam)
      line("%pn, %mn, %vn = xf.adam %p, %g, %m, %v lr %lr step %step scale "
           "%scale {beta1 = 0.9, beta2 = 0.98, eps = 1.0e-3} : (" +
           flat + ", " + flat + ", " + flat + ", " + flat +
           ", tensor<f32>, tensor<i64>, tensor<f32>) -> (" + flat + ", " +
           flat + ", " + flat + ")");
    else
      line("%pn, %mn, %vn = xf.adadelta %p, %g, %m, %v lr %lr step %step scale "
           "%scale {rho = 0.9, eps = 1.0e-3} : (" +
           flat + ", " + flat + ", " + flat + ", " + flat +
           ", tensor<f32>, tensor<i64>, tensor<f32>) -> (" + flat + ", " +
           flat + ", " + flat + ")");
    std::string empty = emptyOf(flat, "");
    line("%gn = linalg.fill ins(%zero : f32) outs(" + empty + " : " + flat +
         ") -> " + flat);
    return start + body +
           "  return %norm, %pn, %gn, %mn, %vn : tensor<1xf32>, " + flat +
           ", " + flat + ", " + flat + ", " + flat + "\n}\n";
  }

  /// The loss in blocks of rows, with the gradient of a parameter.
  std::string chunks() {
    std::string start =
        head("chunks",
             "%h: tensor<?x6xf32> {xf.name = \"h\", xf.dims = [\"N\", \"6\"]}, "
             "%d: tensor<?xf32> {xf.name = \"d\", xf.dims = [\"N\"]}, %y: "
             "tensor<?xi64> {xf.name = \"y\", xf.dims = [\"N\"]}, " +
                 stateArgument("p") + ", " + stateArgument("g"),
             "tensor<?xf32> {xf.name = \"loss\"}, tensor<?xf32> {xf.name = "
             "\"correct\"}, tensor<?x6xf32> {xf.name = \"dh\"}, " +
                 stateResult("p") + ", " + stateResult("g"));
    std::string weight = parameter(isMatrix.size() - 1, "%p");
    line("%loss, %nll, %correct, %dh, %dw = xf.linear_cross_entropy_grad %d, "
         "%h, " +
         weight +
         " target %y {smoothing = 0.1, ignore = -1} : (tensor<?xf32>, "
         "tensor<?x6xf32>, tensor<6x6xf32>, tensor<?xi64>) -> (tensor<?xf32>, "
         "tensor<?xf32>, tensor<?xf32>, tensor<?x6xf32>, tensor<6x6xf32>)");
    std::string rest = fresh(), joined = fresh(),
                count = std::to_string(size - 36);
    line("%flat = tensor.collapse_shape %dw [[0, 1]] : tensor<6x6xf32> into "
         "tensor<36xf32>");
    std::string empty = emptyOf("tensor<" + count + "xf32>", "");
    line(rest + " = linalg.fill ins(%zero : f32) outs(" + empty + " : tensor<" +
         count + "xf32>) -> tensor<" + count + "xf32>");
    line(joined + " = tensor.concat dim(0) " + rest + ", %flat : (tensor<" +
         count + "xf32>, tensor<36xf32>) -> " + flatType());
    std::string sum = mix("%g", joined, flatType(), emptyOf(flatType(), ""));
    return start + body + "  return %loss, %correct, %dh, %p, " + sum +
           " : tensor<?xf32>, tensor<?xf32>, tensor<?x6xf32>, " + flatType() +
           ", " + flatType() + "\n}\n";
  }

  std::mt19937 random;
  std::vector<bool> isMatrix;
  std::vector<int64_t> offsets;
  std::string body;
  unsigned names = 0;
};

class RandomTrainingTest : public testing::TestWithParam<unsigned> {};

Tensor randomFloats(std::vector<int64_t> shape, std::mt19937 &random) {
  Tensor tensor(Element::F32, std::move(shape));
  std::normal_distribution<float> normal(0, 0.5f);
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutableFloats()[i] = normal(random);
  return tensor;
}

/// The state of the session as a tensor.
Tensor stateOf(Session &session, const std::string &name) {
  Result<TensorView> view = session.state(name);
  EXPECT_TRUE(view) << view.status().toString();
  Tensor tensor(Element::F32, view->shape);
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutableFloats()[i] = static_cast<const float *>(view->data)[i];
  return tensor;
}

} // namespace

TEST_P(RandomTrainingTest, CompiledFollowsTheReference) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  context.disableMultithreading();
  ModuleWriter writer(GetParam());
  std::string text = writer.write();
  SCOPED_TRACE("seed " + std::to_string(GetParam()) + ":\n" + text);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(module);

  const char *level = GetParam() % 2 ? "x86-64-v3" : "x86-64-v4";
  std::shared_ptr<const Model> model = compileAndLoad(*module, "", level);
  ASSERT_TRUE(model);
  interpret::Options options;
  options.mode = interpret::Mode::Wide;
  interpret::Interpreter reference(*module, options);
  SessionOptions measured;
  measured.measureMemory = true;
  Session session(model, measured);
  std::mt19937 random(GetParam());
  interpret::StateMap states;
  static constexpr const char *names[] = {"p", "g", "a", "m", "v"};
  for (const char *name : names) {
    states[name] = randomFloats({writer.size}, random);
    Result<TensorView> view = session.state(name);
    ASSERT_TRUE(view) << view.status().toString();
    for (int64_t i = 0; i < writer.size; ++i)
      static_cast<float *>(view->data)[i] = states[name].at(i);
  }
  auto follow = [&](const std::string &entry, std::vector<Tensor> inputs) {
    auto expected = reference.run(entry, inputs, &states);
    ASSERT_TRUE(expected) << expected.status().toString();
    std::vector<Tensor> found = runEntry(session, entry, inputs);
    ASSERT_EQ(found.size(), expected->size());
    EXPECT_LE(session.memory().arenaHighWater, session.memory().arenaBytes)
        << "@" << entry << " writes behind its peak";
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_LE(largestDifference(found[i], (*expected)[i]), 1e-3)
          << "@" << entry << " output " << i;
    for (const char *name : names)
      EXPECT_LE(largestDifference(stateOf(session, name), states[name]), 1e-3)
          << "@" << entry << " state " << name;
  };
  for (int64_t n : {1, 3, 16, 37, 0}) {
    follow("backward", {randomFloats({n, 6}, random)});
    follow("blocks", {randomFloats({n, 6}, random)});
    follow("steps",
           {randomFloats({3, 2, 6}, random), randomFloats({2, 6}, random)});
    follow("update", {});
    Tensor lr(Element::F32, {}), step(Element::I64, {});
    lr.mutableFloats()[0] = 0.01;
    step.mutableIntegers()[0] = 1 + n;
    // Second moments are not negative.
    for (int64_t i = 0; i < writer.size; ++i) {
      double &v = states["v"].mutableFloats()[i],
             &m = states["m"].mutableFloats()[i];
      v = std::fabs(v), m = std::fabs(m);
      for (const char *name : {"v", "m"})
        static_cast<float *>(session.state(name)->data)[i] = states[name].at(i);
    }
    int64_t rows = n == 37 ? 600 : n;
    Tensor targets(Element::I64, {rows});
    for (int64_t i = 0; i < rows; ++i)
      targets.mutableIntegers()[i] = static_cast<int64_t>(random() % 7) - 1;
    follow("chunks", {randomFloats({rows, 6}, random),
                      randomFloats({rows}, random), targets});
    follow("optimise", {lr, step});
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrainingTest, testing::Range(0u, 16u));
