//===- InitialValues.cpp - The values of random weights -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/plan/InitialValues.h"

#include "dialects/plan/NormalWeights.h"
#include "dialects/plan/Plan.h"

using namespace dragoman;
using namespace dragoman::plan;

using Store = llvm::function_ref<void(int64_t, double)>;

/// Both elements of a pair come from one draw.
static void normalValues(NormalAttr normal, int64_t count, int64_t rowSize,
                         Store store) {
  double stddev = normal.getStddev().getValueAsDouble();
  bool hasZeroRow = normal.getZeroRow() >= 0;
  int64_t zeroBegin = hasZeroRow ? normal.getZeroRow() * rowSize : count;
  int64_t zeroEnd = zeroBegin + rowSize;
  auto put = [&](int64_t i, double value) {
    store(i, i >= zeroBegin && i < zeroEnd ? 0.0 : value);
  };
  for (int64_t i = 0; i < count; i += 2) {
    auto [even, odd] = normalPair(normal.getSeed(), stddev, i);
    put(i, even);
    if (i + 1 < count)
      put(i + 1, odd);
  }
}

/// table[p,c] = sin(p * base^(-2c/C)) for c < C/2, then the cosines.
static void sinusoidValues(SinusoidAttr sinusoid, int64_t rows,
                           int64_t channels, Store store) {
  double base = sinusoid.getBase().getValueAsDouble();
  int64_t half = channels / 2;
  for (int64_t p = 0; p < rows; ++p)
    for (int64_t c = 0; c < channels; ++c) {
      double exponent = -2.0 * (c % half) / channels;
      double angle = p * std::pow(base, exponent);
      store(p * channels + c, c < half ? std::sin(angle) : std::cos(angle));
    }
}

void plan::forInitialValues(mlir::Attribute source,
                            llvm::ArrayRef<int64_t> shape, Store store) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  if (auto normal = llvm::dyn_cast<NormalAttr>(source)) {
    int64_t rows = shape.empty() ? 1 : shape[0];
    return normalValues(normal, count, rows ? count / rows : 0, store);
  }
  if (auto sinusoid = llvm::dyn_cast<SinusoidAttr>(source))
    return sinusoidValues(sinusoid, shape[0], shape[1], store);
  if (auto uniform = llvm::dyn_cast<UniformAttr>(source)) {
    double bound = uniform.getBound().getValueAsDouble();
    for (int64_t i = 0; i < count; ++i)
      store(i, bound * (2.0 * uniformDraw(uniform.getSeed(), i) - 1.0));
    return;
  }
  double value = llvm::cast<SplatAttr>(source).getValue().getValueAsDouble();
  for (int64_t i = 0; i < count; ++i)
    store(i, value);
}
