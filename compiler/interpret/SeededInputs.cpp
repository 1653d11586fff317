//===- SeededInputs.cpp - Inputs of entries from xf.domain ----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/SeededInputs.h"

#include "dialects/plan/NormalWeights.h"
#include "dialects/xf/DimAnalysis.h"
#include "dialects/xf/reference/Reference.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace dragoman::interpret {

const char *ShapeClass::name() const {
  static constexpr const char *names[] = {"single", "small", "tile"};
  return names[number];
}

int64_t ShapeClass::size(const std::string &dim) const {
  using Sizes = std::array<int64_t, 3>;
  static const llvm::StringMap<Sizes> known = {
      // entries of translators
      {"B", {1, 2, 3}},
      {"S", {1, 5, 17}},
      {"T", {1, 3, 2}},
      {"R", {1, 3, 7}},
      {"K", {1, 7, 17}},
      {"N", {1, 2, 7}},
      {"E", {1, 3, 2}},
      {"Rows", {1, 4, 8}},
      {"Cap", {16, 16, 32}},
      {"SrcRows", {1, 3, 4}},
      {"SrcCap", {16, 16, 32}},
      // as exporters name them
      {"batch_size", {1, 2, 3}},
      {"encoder_sequence_length", {1, 5, 17}},
      {"decoder_sequence_length", {1, 3, 2}},
      {"past_decoder_sequence_length", {1, 4, 15}},
  };
  auto found = known.find(dim);
  return found == known.end() ? unnamed() : found->second[number];
}

int64_t ShapeClass::unnamed() const {
  static constexpr int64_t sizes[] = {1, 3, 17};
  return sizes[number];
}

std::string ShapeClass::text(mlir::FunctionOpInterface function) const {
  std::set<std::string> names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto dims = function.getArgAttrOfType<mlir::ArrayAttr>(i, "xf.dims"))
      for (const DimExpr &expr : xf::dimsFromAttr(dims))
        for (const std::string &dim : expr.names())
          names.insert(dim);
  std::string result;
  for (const std::string &dim : names)
    result +=
        (result.empty() ? "" : " ") + dim + "=" + std::to_string(size(dim));
  return result.empty() ? name() : result;
}

namespace {

/// "name(a,b)" taken apart; expressions are evaluated in the class's sizes.
struct Domain {
  std::string kind;
  std::vector<double> values;

  static Result<Domain> parse(llvm::StringRef text, const ShapeClass &shapes) {
    Domain domain;
    auto [kind, rest] = text.split('(');
    domain.kind = kind.str();
    if (domain.kind == "rows")
      domain.kind = "ids";
    if (domain.kind == "distinct_rows")
      domain.kind = "distinct";
    static const std::set<std::string> known = {
        "bool",   "distinct", "ids",  "length",
        "normal", "position", "prob", "range"};
    if (!known.count(domain.kind))
      return Status(StatusCode::InvalidArgument,
                    "expected a known xf.domain, found '" + text.str() + "'");
    if (!rest.consume_back(")"))
      return domain;
    llvm::SmallVector<llvm::StringRef> parts;
    rest.split(parts, ',');
    for (llvm::StringRef part : parts) {
      double number;
      if (!part.trim().getAsDouble(number)) {
        domain.values.push_back(number);
        continue;
      }
      Result<DimExpr> expr = DimExpr::parse(part.str());
      if (!expr)
        return expr.status();
      std::map<std::string, int64_t> dims;
      for (const std::string &dim : expr->names())
        dims[dim] = shapes.size(dim);
      Result<int64_t> value = expr->evaluate(dims);
      if (!value)
        return value.status();
      domain.values.push_back(static_cast<double>(*value));
    }
    return domain;
  }

  double value(size_t i, double otherwise) const {
    return i < values.size() ? values[i] : otherwise;
  }
  /// Smallest and largest integer of the domain.
  std::pair<int64_t, int64_t> bounds() const {
    int64_t first = static_cast<int64_t>(value(0, 1));
    if (kind == "length")
      return {1, std::max<int64_t>(first, 1)};
    if (kind == "position")
      return {0, std::max<int64_t>(first, 0)};
    if (kind == "range")
      return {first, static_cast<int64_t>(value(1, first))};
    return {0, std::max<int64_t>(first - 1, 0)}; // ids
  }
};

void fill(Tensor &tensor, const Domain &domain, uint64_t stream) {
  if (tensor.isFloat()) {
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      double draw = domain.kind == "prob"
                        ? plan::uniformDraw(stream, i)
                        : plan::normalDraw(stream, domain.value(0, 1.0), i);
      tensor.mutableFloats()[i] = roundTo(tensor.element(), draw);
    }
    return;
  }
  int64_t *out = tensor.mutableIntegers();
  if (tensor.element() == Element::I1) {
    for (int64_t i = 0; i < tensor.elements(); ++i)
      out[i] = plan::uniformDraw(stream, i) < domain.value(0, 0.5);
    return;
  }
  auto [low, high] = domain.bounds();
  if (domain.kind == "distinct") {
    // A rotation of 0..n-1 with a random start.
    int64_t n = std::max<int64_t>(domain.value(0, 1), 1);
    int64_t start = plan::splitMix(stream, 0) % n;
    for (int64_t i = 0; i < tensor.elements(); ++i)
      out[i] = (start + i) % n;
    return;
  }
  uint64_t span = static_cast<uint64_t>(high - low) + 1;
  for (int64_t i = 0; i < tensor.elements(); ++i)
    out[i] = low + static_cast<int64_t>(plan::splitMix(stream, i) % span);
}

llvm::StringRef defaultDomain(Element element) {
  if (isFloat(element))
    return "normal(1.0)";
  return element == Element::I1 ? "bool(0.5)" : "range(0,1)";
}

} // namespace

Result<std::vector<Tensor>> seededArguments(mlir::FunctionOpInterface function,
                                            const ShapeClass &shapes,
                                            uint64_t seed) {
  std::vector<Tensor> arguments;
  for (unsigned number = 0; number < function.getNumArguments(); ++number) {
    mlir::Type type = function.getArgumentTypes()[number];
    std::optional<Element> element = xf::elementOf(type);
    if (!element)
      return Status(StatusCode::Unsupported,
                    "expected tensors or scalars as arguments",
                    function.getName().str());
    std::vector<int64_t> shape;
    auto dims = function.getArgAttrOfType<mlir::ArrayAttr>(number, "xf.dims");
    if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
      for (int64_t axis = 0; axis < tensor.getRank(); ++axis) {
        if (!tensor.isDynamicDim(axis)) {
          shape.push_back(tensor.getDimSize(axis));
          continue;
        }
        shape.push_back(shapes.unnamed());
        if (!dims)
          continue;
        DimExpr expr = xf::dimsFromAttr(dims)[axis];
        std::map<std::string, int64_t> sizes;
        for (const std::string &dim : expr.names())
          sizes[dim] = shapes.size(dim);
        Result<int64_t> size = expr.evaluate(sizes);
        if (!size)
          return size.status();
        shape.back() = *size;
      }
    auto text =
        function.getArgAttrOfType<mlir::StringAttr>(number, "xf.domain");
    Result<Domain> domain =
        Domain::parse(text ? text.getValue() : defaultDomain(*element), shapes);
    if (!domain)
      return domain.status();
    Tensor tensor(*element, std::move(shape));
    fill(tensor, *domain, plan::splitMix(seed, number));
    arguments.push_back(std::move(tensor));
  }
  return arguments;
}

} // namespace dragoman::interpret
