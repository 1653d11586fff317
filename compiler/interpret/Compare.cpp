//===- Compare.cpp - Equality of values within the tolerance table --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/Compare.h"

#include "dialects/upstream/KernelRoles.h"
#include "dialects/xf/Xf.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

namespace dragoman::interpret {

static constexpr const char *builtInText =
#include "compiler/interpret/Tolerances.inc"
    ;

/// True for an embedding that multiplies what it moves.
static bool isScaled(mlir::Operation *op) {
  auto embedding = llvm::dyn_cast<xf::EmbeddingOp>(op);
  return embedding && !embedding.getScale().isExactlyValue(1.0);
}

/// True if nothing but arguments, weights and constants is moved.
static bool isMoved(mlir::Value value) {
  mlir::Operation *producer = value.getDefiningOp();
  OpClass role = producer ? kernelRoleOf(producer) : std::nullopt;
  if (!role)
    return true;
  return *role == xf::KernelRole::Movement && !isScaled(producer) &&
         llvm::all_of(producer->getOperands(), isMoved);
}

OpClass classOf(mlir::Value value) {
  mlir::Operation *producer = value.getDefiningOp();
  OpClass role = producer ? kernelRoleOf(producer) : std::nullopt;
  if (role != xf::KernelRole::Movement || isMoved(value))
    return role;
  return isScaled(producer) ? OpClass(xf::KernelRole::Elementwise) : OpClass();
}

Tolerance ToleranceTable::of(Element element, OpClass opClass) const {
  for (OpClass key : {opClass, OpClass()})
    if (auto found = rows.find({element, key}); found != rows.end())
      return found->second;
  return {};
}

static std::optional<Element> parseElement(const std::string &name) {
  for (Element element :
       {Element::F64, Element::F32, Element::F16, Element::BF16})
    if (name == elementName(element))
      return element;
  return std::nullopt;
}

static OpClass parseClass(const std::string &name) {
  using xf::KernelRole;
  static const std::map<std::string, KernelRole> classes = {
      {"attention", KernelRole::AttentionLike},
      {"contraction", KernelRole::Contraction},
      {"elementwise", KernelRole::Elementwise},
      {"movement", KernelRole::Movement},
      {"opaque", KernelRole::Opaque},
      {"reduction", KernelRole::Reduction},
      {"rowwise", KernelRole::Rowwise}};
  auto found = classes.find(name);
  return found == classes.end() ? OpClass() : found->second;
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
    std::optional<Element> element = parseElement(row["type"]);
    if (!element)
      return bad("expected type f64, f32, f16 or bf16, found " +
                 row["type"].dump());
    OpClass opClass;
    if (row.contains("class")) {
      if (row["class"].is_string())
        opClass = parseClass(row["class"]);
      if (!opClass)
        return bad("expected class attention, contraction, elementwise, "
                   "movement, opaque, reduction or rowwise, found " +
                   row["class"].dump());
    }
    Tolerance tolerance{row.value("atol", 0.0), row.value("rtol", 0.0)};
    if (!table.rows.try_emplace({*element, opClass}, tolerance).second)
      return bad("expected one row per type and class, found a second " +
                 row.dump());
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
