//===- Compare.cpp - Equality of values within the tolerance table --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Compare.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

namespace dragoman::interpret {

static constexpr const char *builtInText =
#include "compiler/interpret/Tolerances.inc"
    ;

Tolerance ToleranceTable::of(Element element) const {
  auto found = rows.find(element);
  return found == rows.end() ? Tolerance{} : found->second;
}

Result<ToleranceTable> ToleranceTable::parse(const std::string &text) {
  auto bad = [](const std::string &what) {
    return Status(StatusCode::InvalidData, what, "tolerance table");
  };
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("rows") || !json["rows"].is_array())
    return bad("expected an object with an array 'rows'");
  ToleranceTable table;
  for (const nlohmann::json &row : json["rows"]) {
    if (!row.is_object() || !row.contains("type") || !row["type"].is_string())
      return bad("expected rows with 'type', found " + row.dump());
    std::string name = row["type"];
    bool known = false;
    for (Element element :
         {Element::F64, Element::F32, Element::F16, Element::BF16}) {
      if (name != elementName(element))
        continue;
      known = true;
      table.rows[element] = {row.value("atol", 0.0), row.value("rtol", 0.0)};
    }
    if (!known)
      return bad("expected type f64, f32, f16 or bf16, found '" + name + "'");
  }
  table.ratio = json.value("ratio", 2.0);
  return table;
}

const ToleranceTable &ToleranceTable::builtIn() {
  static const ToleranceTable table = [] {
    Result<ToleranceTable> parsed = parse(builtInText);
    assert(parsed && "the table in the tree is well-formed");
    return *parsed;
  }();
  return table;
}

static bool close(double a, double b, Tolerance tolerance) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return std::abs(a - b) <= tolerance.atol + tolerance.rtol * std::abs(b);
}

std::optional<Difference> firstDifference(const Tensor &actual,
                                          const Tensor &expected,
                                          Tolerance tolerance) {
  for (int64_t i = 0; i < actual.elements(); ++i) {
    bool same = actual.isFloat()
                    ? close(actual.floats()[i], expected.floats()[i], tolerance)
                    : actual.integers()[i] == expected.integers()[i];
    if (!same)
      return Difference{i, actual.at(i), expected.at(i)};
  }
  return std::nullopt;
}

double largestError(const Tensor &a, const Tensor &b) {
  double largest = 0;
  for (int64_t i = 0; i < a.elements(); ++i)
    if (std::isfinite(a.at(i)) && std::isfinite(b.at(i)))
      largest = std::max(largest, std::abs(a.at(i) - b.at(i)));
  return largest;
}

std::string differenceText(const Difference &difference,
                           const std::vector<int64_t> &shape,
                           Tolerance tolerance) {
  std::ostringstream text;
  text.precision(9);
  text << "element [" << indexText(shape, difference.index) << "] is "
       << difference.actual << ", expected " << difference.expected;
  if (tolerance.atol != 0 || tolerance.rtol != 0)
    text << " within " << tolerance.atol << " + " << tolerance.rtol
         << " relative";
  return text.str();
}

} // namespace dragoman::interpret
