//===- Products.cpp - Speed of the matrix products of training ------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each product is a plan.kernel of its own, scheduled and lowered as in a
// model: the number of rows of a batch is dynamic, channels are static. All
// packing is in the time.
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/CodeObject.h"
#include "compiler/lowering/cpu/LowerToLLVM.h"
#include "compiler/lowering/cpu/Lowering.h"
#include "compiler/tiling/Schedule.h"
#include "dialects/xf/Xf.h"
#include "runtime/artifact/KernelAbi.h"
#include "tools/benchmark/KernelBench.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <dlfcn.h>

#include <cstdlib>

using namespace dragoman;
using namespace dragoman::bench;

namespace {

/// c[M,N] of a sum over K; the batch's rows are M, or K in a weight's gradient.
struct Product {
  enum Kind { Forward, Input, Weight };
  Kind kind;
  int64_t m, n, k;

  const char *name() const {
    return kind == Forward ? "x.wT" : kind == Input ? "dy.w" : "dyT.x";
  }
  int64_t rows() const { return kind == Weight ? k : m; }
  std::string text() const;
};

} // namespace

static std::string matrix(const std::string &rows, const std::string &columns) {
  auto size = [](const std::string &dim) { return dim == "R" ? "?" : dim; };
  return "tensor<" + size(rows) + "x" + size(columns) + "xf32>";
}

static std::string argument(const std::string &rows,
                            const std::string &columns) {
  return matrix(rows, columns) + " {xf.dims = [\"" + rows + "\", \"" + columns +
         "\"]}";
}

std::string Product::text() const {
  std::string M = kind == Weight ? std::to_string(m) : "R",
              K = kind == Weight ? "R" : std::to_string(k),
              N = std::to_string(n);
  auto a = kind == Weight ? std::pair(K, M) : std::pair(M, K);
  auto b = kind == Forward ? std::pair(N, K) : std::pair(K, N);
  const char *flags = kind == Forward ? " {transpose_b}"
                      : kind == Input ? ""
                                      : " {transpose_a}";
  return "plan.kernel @product(%a: " + argument(a.first, a.second) +
         ", %b: " + argument(b.first, b.second) + ") -> (" + argument(M, N) +
         ") attributes {dims = [\"R\"]} {\n  %c = xf.matmul %a, %b" + flags +
         " : (" + matrix(a.first, a.second) + ", " + matrix(b.first, b.second) +
         ") -> " + matrix(M, N) + "\n  plan.yield %c : " + matrix(M, N) +
         "\n}\n";
}

/// Compiles and measures one product.
static mlir::LogicalResult runProduct(const Options &options,
                                      const CpuTarget &target,
                                      mlir::MLIRContext &context,
                                      const Product &product) {
  auto source =
      mlir::parseSourceString<mlir::ModuleOp>(product.text(), &context);
  if (!source)
    return mlir::failure();
  auto kernel = *source->getOps<plan::KernelOp>().begin();
  mlir::FailureOr<KernelSchedule> schedule = scheduleKernel(kernel, {});
  if (failed(schedule))
    return mlir::failure();
  kernel.setScheduleAttr(schedule->schedule);
  mlir::OwningOpRef<mlir::ModuleOp> code =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  if (failed(lowerKernel(kernel, *code, target)))
    return mlir::failure();
  mlir::FailureOr<std::string> image = compileKernels(*code, target);
  if (failed(image))
    return mlir::failure();
  auto run =
      reinterpret_cast<KernelFunction>(dlsym(loadImage(*image), "product"));

  auto [kind, m, n, k] = product;
  int64_t tiles = *schedule->tiles.evaluate({{"R", product.rows()}});
  Block a(m * k), b(k * n), c(m * n), scratch(schedule->scratchBytes / 4 + 16);
  void *slots[] = {a.data(), b.data(), c.data()};
  int64_t dims[] = {product.rows()};
  ErrorBlock error;
  KernelArgs arguments = {slots, dims, nullptr, &error};
  Ratio result =
      measureRatio(2.0 * m * n * k, target.registerLanes, options.seconds,
                   [&] { run(&arguments, 0, tiles, scratch.data()); });
  report(options, {product.name(), m, n, k, result});
  return mlir::success();
}

void bench::runProducts(const Options &options, const CpuTarget &target) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<xf::XfDialect, plan::PlanDialect>();
  loadKernelDialects(context);
  std::vector<Product> products;
  for (Product::Kind kind : {Product::Forward, Product::Input, Product::Weight})
    for (auto [m, n, k] : {std::array<int64_t, 3>{512, 512, 512},
                           {512, 2048, 512},
                           {2048, 512, 512},
                           {2048, 512, 2048}})
      products.push_back({kind, m, n, k});
  // The layers of a small model: rows by 128 or 256 channels.
  for (int64_t rows : {1024, 4096})
    for (auto [out, in] :
         {std::pair<int64_t, int64_t>{128, 128}, {256, 128}, {128, 256}}) {
      products.push_back({Product::Forward, rows, out, in});
      products.push_back({Product::Input, rows, in, out});
      products.push_back({Product::Weight, out, in, rows});
    }
  for (const Product &product : products)
    if (failed(runProduct(options, target, context, product)))
      std::exit(1);
}
