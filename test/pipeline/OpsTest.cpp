//===- OpsTest.cpp - Every op, compiled, against the judge ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entries of test/ops/<op>/compiled.mlir (or the example in spec.mlir) as
// machine code, on seeded inputs of every shape class: a result is right within
// the tolerance table of the wide interpretation, or within twice the error of
// the decomposed graph.
//
//===----------------------------------------------------------------------===//

#include "test/pipeline/CompiledModel.h"

#include "compiler/graph/Passes.h"
#include "compiler/interpret/Compare.h"
#include "compiler/interpret/SeededInputs.h"
#include "tools/driver/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace dragoman;
using namespace dragoman::test;
using namespace dragoman::interpret;

namespace {

/// An op's file and a feature level.
struct Case {
  std::string path, level;
};

std::ostream &operator<<(std::ostream &out, const Case &test) {
  return out << test.path << " " << test.level;
}

class OpsTest : public testing::TestWithParam<Case> {
protected:
  OpsTest() : context(registry()) {
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }
  void judge(mlir::FunctionOpInterface entry, const ShapeClass &shapes,
             Session &session);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module, decomposed;
};

void OpsTest::judge(mlir::FunctionOpInterface entry, const ShapeClass &shapes,
                    Session &session) {
  std::string name = entry.getName().str();
  Result<std::vector<Tensor>> inputs = seededArguments(entry, shapes, 1);
  ASSERT_TRUE(inputs) << inputs.status().toString();
  auto exact =
      Interpreter(*module, {Mode::Wide, {}, {}, {}}).run(name, *inputs);
  auto plain = Interpreter(*decomposed, {}).run(name, *inputs);
  ASSERT_TRUE(exact) << exact.status().toString();
  ASSERT_TRUE(plain) << plain.status().toString();
  std::vector<Tensor> found = runEntry(session, name, *inputs);
  ASSERT_EQ(found.size(), exact->size());
  const ToleranceTable &table = ToleranceTable::builtIn();
  mlir::OperandRange returned =
      entry.getFunctionBody().front().getTerminator()->getOperands();
  for (size_t i = 0; i < found.size(); ++i) {
    Tensor expected = (*exact)[i];
    expected.roundElements(); // beyond the type's range is infinite
    ASSERT_EQ(found[i].shape(), expected.shape());
    Tolerance tolerance = table.of(expected.element(), classOf(returned[i]));
    tolerance.atol = std::max(
        tolerance.atol, table.ratio * largestError((*plain)[i], expected));
    auto difference = firstDifference(found[i], expected, tolerance);
    EXPECT_FALSE(difference)
        << "@" << name << " (" << shapes.text(entry) << ") result " << i << ": "
        << differenceText(*difference, expected.shape(), tolerance);
  }
}

TEST_P(OpsTest, MachineCodeFollowsTheReference) {
  std::string path =
      DRAGOMAN_SOURCE_DIR "/test/ops/" + GetParam().path + ".mlir";
  module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
  ASSERT_TRUE(module);
  decomposed = module->clone();
  auto passes = mlir::PassManager::on<mlir::ModuleOp>(&context);
  passes.addPass(createXfDecompose());
  ASSERT_TRUE(mlir::succeeded(passes.run(*decomposed)));
  std::shared_ptr<const Model> model =
      compileAndLoad(*module, "", GetParam().level);
  ASSERT_TRUE(model);
  Session session(model);
  for (auto entry : module->getOps<mlir::FunctionOpInterface>())
    for (unsigned number = 0; number < ShapeClass::count(); ++number)
      judge(entry, ShapeClass(number), session);
}

/// A module with a check on its input, in machine code of both levels.
class CheckTest : public OpsTest {};

TEST_P(CheckTest, FailingCheckEndsAsInTheInterpreter) {
  module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    plan.site 3, "node_7", "id {value} at {index} is not below {bound}"
    func.func @ids(%ids: tensor<?x2xi64> {xf.dims = ["N", "2"]}) -> tensor<?x2xi64> {
      %bound = arith.constant dense<4> : tensor<i64>
      %c0 = arith.constant 0 : index
      %n = tensor.dim %ids, %c0 : tensor<?x2xi64>
      %e = tensor.empty(%n) : tensor<?x2xi1>
      %ok = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<?x2xi64>) outs(%e : tensor<?x2xi1>) {
      ^bb0(%id: i64, %o: i1):
        %four = arith.constant 4 : i64
        %r = arith.cmpi slt, %id, %four : i64
        linalg.yield %r : i1
      } -> tensor<?x2xi1>
      xf.check %ok value %ids bound %bound {site = 3} : (tensor<?x2xi1>, tensor<?x2xi64>, tensor<i64>) -> ()
      %e2 = tensor.empty(%n) : tensor<?x2xi64>
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<?x2xi64>) outs(%e2 : tensor<?x2xi64>) {
      ^bb0(%id: i64, %o: i64):
        %r = arith.addi %id, %id : i64
        linalg.yield %r : i64
      } -> tensor<?x2xi64>
      return %y : tensor<?x2xi64>
    })",
                                                   &context);
  ASSERT_TRUE(module);
  std::shared_ptr<const Model> model =
      compileAndLoad(*module, "", GetParam().level);
  ASSERT_TRUE(model);
  Session session(model);
  int64_t ids[4] = {0, 3, 9, 7}, doubled[4] = {};
  auto run = [&] {
    std::vector<TensorView> inputs = {{ids, ElementType::I64, {2, 2}}};
    std::vector<TensorView> outputs = {{doubled, ElementType::I64, {2, 2}}};
    return session.run("ids", inputs, outputs);
  };
  Tensor same(Element::I64, {2, 2});
  std::copy_n(ids, 4, same.mutableIntegers());
  Status compiled = run();
  Status interpreted = Interpreter(*module).run("ids", {same}).status();
  EXPECT_EQ(compiled.code(), StatusCode::RuntimeError);
  EXPECT_EQ(compiled.message(), interpreted.message());
  EXPECT_EQ(compiled.message(), "id 9 at 2 is not below 4");
  // The next run starts without the record.
  ids[2] = ids[3] = 1;
  Status next = run();
  EXPECT_TRUE(next) << next.toString();
  EXPECT_EQ(doubled[3], 2);
}

INSTANTIATE_TEST_SUITE_P(Ops, CheckTest,
                         testing::Values(Case{"check", "x86-64-v3"},
                                         Case{"check", "x86-64-v4"}),
                         [](const auto &info) {
                           return info.param.level == "x86-64-v3" ? "v3" : "v4";
                         });

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const char *path : {"adadelta/spec",
                           "adagrad/spec",
                           "adam/spec",
                           "attention/compiled",
                           "attention/compiled-regions",
                           "attention_grad/compiled",
                           "attention_weights/compiled",
                           "cache_reorder/spec",
                           "cross_entropy/compiled",
                           "cross_entropy_grad/compiled",
                           "dropout/compiled",
                           "embedding/compiled",
                           "embedding_grad/compiled",
                           "gelu/compiled",
                           "global_norm/compiled",
                           "glu/compiled",
                           "layer_norm/compiled",
                           "layer_norm_grad/compiled",
                           "linear/compiled",
                           "linear_cross_entropy/compiled",
                           "linear_cross_entropy_grad/compiled",
                           "log_softmax/compiled",
                           "matmul/compiled",
                           "rms_norm/compiled",
                           "rms_norm_grad/compiled",
                           "rotary/compiled",
                           "select/compiled",
                           "sgd/spec",
                           "silu/spec",
                           "softmax/compiled",
                           "top_k/compiled"})
    for (const char *level : {"x86-64-v3", "x86-64-v4"})
      result.push_back({path, level});
  return result;
}

INSTANTIATE_TEST_SUITE_P(
    Ops, OpsTest, testing::ValuesIn(cases()), [](const auto &info) {
      std::string name = info.param.path + "_" + info.param.level;
      for (char &letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter)))
          letter = '_';
      return name;
    });

} // namespace
