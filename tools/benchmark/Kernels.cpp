//===- Kernels.cpp - Speed of the emitted CPU kernels ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dragoman-bench-kernels [--level=x86-64-v4]
//                        [--suite=hot,chain,cold,training] [--seconds=0.3]
//                        [--json]
// Pin it to a core: taskset -c 1 dragoman-bench-kernels.
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/CodeObject.h"
#include "compiler/lowering/cpu/LinearKernel.h"
#include "compiler/lowering/cpu/LowerToLLVM.h"
#include "runtime/artifact/KernelAbi.h"
#include "tools/benchmark/KernelBench.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>
#include <xmmintrin.h>

#include <cmath>
#include <cstdlib>

using namespace dragoman;
using namespace dragoman::bench;

namespace {

/// A compiled linear kernel y = relu(x w^T + bias).
struct Linear {
  int64_t columns, depth;
  KernelFunction run;

  void operator()(const CpuTarget &target, int64_t rows, float *x, float *w,
                  float *bias, float *y) const {
    void *slots[] = {x, w, y, bias};
    int64_t dims[] = {rows};
    ErrorBlock error;
    KernelArgs args = {slots, dims, nullptr, &error};
    run(&args, 0, linearTiles(rows, columns, LinearSpec().rowBlock), nullptr);
  }
};

/// Compiles the kernels of `shapes` (N, K) into one loaded object.
std::vector<Linear>
compileLinears(const CpuTarget &target,
               llvm::ArrayRef<std::pair<int64_t, int64_t>> shapes,
               Activation activation, llvm::StringRef save) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  auto name = [](std::pair<int64_t, int64_t> shape) {
    return "linear_" + std::to_string(shape.first) + "_" +
           std::to_string(shape.second);
  };
  auto first = [&](auto shape) { return llvm::find(shapes, shape); };
  double start = now();
  for (const auto &shape : shapes) {
    if (first(shape) != &shape)
      continue;
    KernelBuilder k(*module, name(shape), target);
    LinearSpec spec;
    spec.columns = shape.first;
    spec.depth = shape.second;
    spec.rows = [](KernelBuilder &k) { return k.dim(0); };
    spec.biasSlot = 3;
    spec.activation = activation;
    emitLinear(k, spec);
    k.finish();
  }
  double built = now();
  mlir::FailureOr<std::string> image = compileKernels(*module, target);
  if (failed(image))
    std::exit(1);
  llvm::errs() << llvm::format("%zu kernels: build %.0f ms, compile %.0f ms, "
                               "%zu bytes\n",
                               shapes.size(), (built - start) * 1e3,
                               (now() - built) * 1e3, image->size());
  if (!save.empty()) {
    std::error_code code;
    llvm::raw_fd_ostream(save, code) << *image;
  }
  void *handle = loadImage(*image);
  std::vector<Linear> linears;
  for (auto shape : shapes)
    linears.push_back(
        {shape.first, shape.second,
         reinterpret_cast<KernelFunction>(dlsym(handle, name(shape).c_str()))});
  return linears;
}

void runHot(const Options &options, const CpuTarget &target,
            const std::vector<Linear> &linears,
            llvm::ArrayRef<int64_t> rowCounts) {
  int lanes = static_cast<int>(target.registerLanes);
  for (const Linear &linear : linears) {
    Block x(512 * linear.depth), w((linear.columns + 64) * linear.depth),
        bias(linear.columns + 64), y(512 * linear.columns);
    for (int64_t rows : rowCounts) {
      double flops = 2.0 * rows * linear.columns * linear.depth;
      Ratio result = measureRatio(flops, lanes, options.seconds, [&] {
        linear(target, rows, x.data(), w.data(), bias.data(), y.data());
      });
      report(options, {"hot", rows, linear.columns, linear.depth, result});
    }
  }
}

/// Sixty layers, each weight used once per run: 126 MB.
void runChain(const Options &options, const CpuTarget &target,
              const std::vector<Linear> &linears,
              llvm::ArrayRef<int64_t> rowCounts) {
  int lanes = static_cast<int>(target.registerLanes);
  constexpr int layers = 60;
  const int order[] = {0, 0, 0, 0, 1, 2};
  size_t total = 0;
  double perRow = 0;
  for (int i = 0; i < layers; ++i) {
    const Linear &linear = linears[order[i % 6]];
    total += linear.columns * linear.depth;
    perRow += 2.0 * linear.columns * linear.depth;
  }
  Block weights(total + 65536), bias(2048), first(512 * 2048),
      second(512 * 2048);
  for (int64_t rows : rowCounts) {
    double bandwidth = 0;
    for (int i = 0; i < 5; ++i)
      bandwidth =
          std::max(bandwidth, readBandwidth(weights.data(), total * 4, lanes));
    Ratio result = measureRatio(perRow * rows, lanes, options.seconds * 4, [&] {
      float *from = first.data(), *to = second.data(), *w = weights.data();
      for (int i = 0; i < layers; ++i) {
        const Linear &linear = linears[order[i % 6]];
        linear(target, rows, from, w, bias.data(), to);
        w += linear.columns * linear.depth;
        std::swap(from, to);
      }
    });
    double seconds = perRow * rows / result.rate;
    double peak = result.rate / result.ratio;
    double bound = std::max(perRow * rows / peak, total * 4.0 / bandwidth);
    report(options, {"chain", rows, layers, 0, result, bound / seconds});
  }
}

/// One weight beyond every cache: the vocabulary projection.
void runCold(const Options &options, const CpuTarget &target,
             const Linear &linear, llvm::ArrayRef<int64_t> rowCounts) {
  int lanes = static_cast<int>(target.registerLanes);
  size_t size = linear.columns * linear.depth;
  Block x(64 * linear.depth), w(size + 65536), bias(linear.columns),
      y(64 * linear.columns);
  for (int64_t rows : rowCounts) {
    double bandwidth = 0;
    for (int i = 0; i < 5; ++i)
      bandwidth = std::max(bandwidth, readBandwidth(w.data(), size * 4, lanes));
    double flops = 2.0 * rows * size;
    Ratio result = measureRatio(flops, lanes, options.seconds * 2, [&] {
      linear(target, rows, x.data(), w.data(), bias.data(), y.data());
    });
    double peak = result.rate / result.ratio;
    double bound = std::max(flops / peak, size * 4.0 / bandwidth);
    report(options, {"cold", rows, linear.columns, linear.depth, result,
                     bound * result.rate / flops});
  }
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::opt<std::string> level("level", llvm::cl::init("x86-64-v4"),
                                   llvm::cl::desc("CPU level to measure"));
  llvm::cl::list<std::string> suites(
      "suite", llvm::cl::CommaSeparated,
      llvm::cl::desc("hot, chain, cold, training"));
  llvm::cl::list<int64_t> rows("rows", llvm::cl::CommaSeparated,
                               llvm::cl::desc("row counts"));
  llvm::cl::opt<std::string> shape("shape",
                                   llvm::cl::desc("N:K of the hot suite"),
                                   llvm::cl::init("512:512"));
  llvm::cl::opt<std::string> activation("activation", llvm::cl::init("relu"),
                                        llvm::cl::desc("behind every linear"));
  llvm::cl::opt<double> seconds("seconds", llvm::cl::init(0.3),
                                llvm::cl::desc("time per figure"));
  llvm::cl::opt<bool> json("json", llvm::cl::desc("one JSON object a line"));
  llvm::cl::opt<std::string> save("save", llvm::cl::desc("write the .so here"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "Speed of CPU kernels\n");
  Result<CpuTarget> target = CpuTarget::parse(level.getValue());
  if (!target) {
    llvm::errs() << target.status().toString() << "\n";
    return 2;
  }
  _mm_setcsr(_mm_getcsr() | 0x8040);
  Options options = {level, seconds, json};
  auto wants = [&](llvm::StringRef suite) {
    return suites.empty() || llvm::is_contained(suites, suite);
  };
  std::optional<Activation> behind = parseActivation(activation.getValue());
  if (!behind) {
    llvm::errs() << "unknown activation '" << activation << "'\n";
    return 2;
  }
  auto [columns, depth] = llvm::StringRef(shape.getValue()).split(':');
  std::pair<int64_t, int64_t> hotShape;
  if (columns.getAsInteger(10, hotShape.first) ||
      depth.getAsInteger(10, hotShape.second)) {
    llvm::errs() << "expected a shape N:K, found '" << shape << "'\n";
    return 2;
  }
  if (wants("training"))
    runProducts(options, *target);
  if (!wants("hot") && !wants("chain") && !wants("cold"))
    return 0;
  std::vector<Linear> linears = compileLinears(
      *target, {{512, 512}, {2048, 512}, {512, 2048}, {32000, 512}, hotShape},
      *behind, save);
  std::vector<int64_t> chosen(rows.begin(), rows.end());
  auto counts = [&](std::vector<int64_t> usual) {
    return chosen.empty() ? usual : chosen;
  };
  if (wants("hot"))
    runHot(options, *target, {linears[4]},
           counts({1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,  12,
                   13, 14, 15, 16, 24, 31, 32, 47, 48, 64, 128, 240}));
  if (wants("chain"))
    runChain(options, *target, linears, counts({4, 16, 32, 64, 240}));
  if (wants("cold"))
    runCold(options, *target, linears[3], counts({1, 4, 8, 16, 24, 32, 64}));
  return 0;
}
