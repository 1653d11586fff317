//===- Chart.cpp - Curves as SVG ------------------------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/train/Chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace dragoman;

namespace {

// The picture in its own units, and the part that the lines may use.
constexpr double width = 640, height = 260;
constexpr double left = 56, right = 628, top = 30, bottom = 226;

/// Colours of lines by number: --c0, --c1, ... of the page.
constexpr size_t colors = 4;

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f", value);
  return buffer;
}

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Values that differ by rounding only count as equal.
  void widen() {
    if (high - low <= 1e-6 * std::max(std::abs(low), std::abs(high))) {
      double margin = low == 0 ? 1 : std::abs(low) * 0.1;
      low -= margin;
      high += margin;
    }
  }
  double part(double value) const { return (value - low) / (high - low); }
};

std::string textAt(double x, double y, const char *anchor,
                   const std::string &text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) +
         "\" text-anchor=\"" + anchor + "\">" + escapeHtml(text) + "</text>";
}

std::string axes(const Range &x, const Range &y) {
  std::string svg;
  for (double tick : chartTicks(y.low, y.high, 5)) {
    double at = bottom - y.part(tick) * (bottom - top);
    svg += "<path class=\"grid\" d=\"M" + number(left) + " " + number(at) +
           "H" + number(right) + "\"/>" +
           textAt(left - 6, at + 4, "end", chartLabel(tick));
  }
  for (double tick : chartTicks(x.low, x.high, 6)) {
    double at = left + x.part(tick) * (right - left);
    svg += textAt(at, bottom + 18, "middle", chartLabel(tick));
  }
  return svg + "<path class=\"axis\" d=\"M" + number(left) + " " + number(top) +
         "V" + number(bottom) + "H" + number(right) + "\"/>";
}

std::string line(const ChartSeries &series, size_t color, const Range &x,
                 const Range &y) {
  std::string path, dots;
  std::string style = " style=\"--c:var(--c" + std::to_string(color) + ")\"";
  // A few points are validations, worth a mark of their own.
  constexpr size_t mostMarks = 60;
  bool marked = series.points.size() <= mostMarks;
  for (const auto &[px, py] : series.points) {
    if (!std::isfinite(px) || !std::isfinite(py))
      continue;
    std::string at = number(left + x.part(px) * (right - left)) + " " +
                     number(bottom - y.part(py) * (bottom - top));
    path += (path.empty() ? "M" : "L") + at;
    size_t space = at.find(' ');
    if (marked)
      dots += "<circle class=\"dot\" cx=\"" + at.substr(0, space) + "\" cy=\"" +
              at.substr(space + 1) + "\" r=\"3\"" + style + "><title>" +
              escapeHtml(series.name) + " " + chartLabel(py) + " at " +
              chartLabel(px) + "</title></circle>";
  }
  return "<path class=\"line\" d=\"" + path + "\"" + style + "/>" + dots;
}

} // namespace

std::string dragoman::escapeHtml(const std::string &text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

std::string dragoman::chartLabel(double value) {
  char buffer[32];
  double size = std::abs(value);
  if (size >= 1e6)
    std::snprintf(buffer, sizeof buffer, "%.4gM", value / 1e6);
  else if (size >= 1e4)
    std::snprintf(buffer, sizeof buffer, "%.4gk", value / 1e3);
  else
    std::snprintf(buffer, sizeof buffer, "%.4g", value);
  return buffer;
}

std::vector<double> dragoman::chartTicks(double low, double high, int count) {
  double step = std::pow(10, std::floor(std::log10((high - low) / count)));
  for (double factor : {1.0, 2.0, 5.0, 10.0})
    if ((high - low) / (step * factor) <= count) {
      step *= factor;
      break;
    }
  std::vector<double> ticks;
  double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i <= count + 1; ++i)
    if (double tick = (first + i) * step; tick <= high + step * 1e-9)
      ticks.push_back(tick);
  return ticks;
}

std::string dragoman::chartSvg(const std::string &title,
                               const std::vector<ChartSeries> &series) {
  Range x, y;
  for (const ChartSeries &one : series)
    for (const auto &[px, py] : one.points)
      if (std::isfinite(px) && std::isfinite(py)) {
        x.add(px);
        y.add(py);
      }
  if (x.low > x.high)
    return "";
  x.widen();
  y.widen();
  std::string svg = "<svg viewBox=\"0 0 " + number(width) + " " +
                    number(height) + "\" role=\"img\" aria-label=\"" +
                    escapeHtml(title) + "\">" + axes(x, y);
  double legend = right;
  for (size_t i = series.size(); i-- > 0;) {
    if (series[i].points.empty())
      continue;
    svg += line(series[i], i % colors, x, y);
    if (series.size() == 1)
      continue;
    svg += "<g style=\"--c:var(--c" + std::to_string(i % colors) +
           ")\" class=\"legend\">" + textAt(legend, 16, "end", series[i].name) +
           "</g>";
    legend -= 12 + 7.5 * static_cast<double>(series[i].name.size());
  }
  return svg + "<text class=\"title\" x=\"" + number(left) + "\" y=\"16\">" +
         escapeHtml(title) + "</text></svg>";
}
