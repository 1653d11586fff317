//===- Chart.h - Curves as SVG ----------------------------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_TRAIN_CHART_H
#define DRAGOMAN_RUNTIME_TRAIN_CHART_H

#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// A named line of a chart.
struct ChartSeries {
  std::string name;
  std::vector<std::pair<double, double>> points; ///< x ascending
};

/// Round numbers, about `count` of them, that span [low, high].
std::vector<double> chartTicks(double low, double high, int count);

/// A number as short as a label needs.
std::string chartLabel(double value);

/// An <svg> element of axes, grid, lines and a legend, whose colours follow the
/// page's. Points that are not finite are left out; "" if none is left.
std::string chartSvg(const std::string &title,
                     const std::vector<ChartSeries> &series);

/// Text with the characters that HTML reserves written as entities.
std::string escapeHtml(const std::string &text);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_TRAIN_CHART_H
