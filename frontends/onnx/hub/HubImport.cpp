//===- HubImport.cpp - From the folder of a translator to a module --------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/hub/HubImport.h"

#include "dialects/xf/DimAnalysis.h"
#include "dialects/xf/Xf.h"
#include "frontends/onnx/FunctionImport.h"
#include "frontends/onnx/OnnxImport.h"

#include "mlir/IR/Verifier.h"

#include <filesystem>

using namespace dragoman;
using namespace dragoman::onnx;

namespace {

/// Names of the dimensions of an input, axis by axis; "" leaves a fixed size.
using AxisNames = std::vector<std::string>;

/// The names under which the exporter passes the caches: N is the layer.
struct CacheName {
  std::string cache; ///< self_k.N, ...
  std::string past;  ///< input
  std::string present;
};

} // namespace

static std::vector<CacheName> cacheNames(int64_t layers) {
  std::vector<CacheName> names;
  for (int64_t layer = 0; layer < layers; ++layer)
    for (const char *side : {"decoder", "encoder"})
      for (const char *part : {"key", "value"}) {
        std::string number = std::to_string(layer);
        std::string tail = "." + number + "." + side + "." + part;
        std::string cache = std::string(*side == 'd' ? "self_" : "cross_") +
                            (*part == 'k' ? "k." : "v.") + number;
        names.push_back({cache, "past_key_values" + tail, "present" + tail});
      }
  return names;
}

namespace {

/// Imports the graphs of one folder into one module.
class Importer {
public:
  Importer(const HubFolder &folder, mlir::MLIRContext &context)
      : folder(folder), module(context), names(cacheNames(folder.layers)) {}

  mlir::LogicalResult run() {
    if (failed(encode()) || failed(decoder(folder.decoder, "first")) ||
        failed(decoder(folder.decoderWithPast, "past")))
      return mlir::failure();
    return select();
  }
  ModuleImport &get() { return module; }

private:
  const Model *load(const std::string &file) {
    return module.load((std::filesystem::path(folder.path) / file).string(),
                       file);
  }

  mlir::LogicalResult error(const std::string &file, const llvm::Twine &text) {
    return mlir::emitError(mlir::UnknownLoc::get(module.context()))
           << folder.path << ": " << file << ": " << text;
  }

  /// Checks that the inputs and outputs are there, and names the dimensions.
  mlir::LogicalResult bind(const Model &model, const std::string &file,
                           const std::map<std::string, AxisNames> &inputs,
                           const std::vector<std::string> &outputs,
                           FunctionOptions &options) {
    std::map<std::string, const ValueInfo *> found;
    for (const ValueInfo &input : model.graph.inputs)
      found[input.name] = &input;
    for (const auto &[name, axes] : inputs) {
      auto it = found.find(name);
      if (it == found.end())
        return error(file, "expected an input '" + name + "', found " +
                               listOf(model.graph.inputs));
      const ValueInfo &input = *it->second;
      if (input.shape.size() != axes.size())
        return error(file, "expected input '" + name + "' to have " +
                               llvm::Twine(axes.size()) + " axes, found " +
                               llvm::Twine(input.shape.size()));
      for (size_t axis = 0; axis < axes.size(); ++axis)
        if (!axes[axis].empty() && !input.shape[axis].param.empty())
          options.dimNames.emplace(input.shape[axis].param, axes[axis]);
    }
    for (const auto &[name, input] : found)
      if (!inputs.count(name))
        return error(file, "input '" + name + "' is not known here");
    for (const std::string &name : outputs)
      if (llvm::none_of(model.graph.outputs, [&](const ValueInfo &output) {
            return output.name == name;
          }))
        return error(file, "expected an output '" + name + "', found " +
                               listOf(model.graph.outputs));
    options.outputs = outputs;
    return mlir::success();
  }

  static std::string listOf(const std::vector<ValueInfo> &values) {
    std::string text;
    for (const ValueInfo &value : values)
      text += (text.empty() ? "" : ", ") + value.name;
    return text;
  }

  static std::string ids(int64_t vocabulary) {
    return "ids(" + std::to_string(vocabulary) + ")";
  }

  mlir::LogicalResult encode() {
    const Model *model = load(folder.encoder);
    if (!model)
      return mlir::failure();
    FunctionOptions options;
    options.name = "encode";
    options.lengthMasks["attention_mask"] = "source_length";
    options.domains = {{"input_ids", ids(folder.vocabulary)},
                       {"attention_mask", "length(S)"}};
    if (failed(bind(*model, folder.encoder,
                    {{"input_ids", {"B", "S"}}, {"attention_mask", {"B", "S"}}},
                    {"last_hidden_state"}, options)))
      return mlir::failure();
    return FunctionImport(module, *model, options).run();
  }

  mlir::LogicalResult decoder(const std::string &file,
                              const std::string &role) {
    const Model *model = load(file);
    if (!model)
      return mlir::failure();
    bool first = role == "first";
    FunctionOptions options;
    options.name = "decoder_" + role;
    options.lengthMasks["encoder_attention_mask"] = "source_length";
    options.domains = {{"input_ids", ids(folder.decoderVocabulary)},
                       {"encoder_attention_mask", "length(S)"}};
    std::map<std::string, AxisNames> inputs = {
        {"input_ids", {"R", "T"}}, {"encoder_attention_mask", {"R", "S"}}};
    std::vector<std::string> outputs = {"logits"};
    if (first)
      inputs["encoder_hidden_states"] = {"R", "S", ""};
    for (const CacheName &name : names) {
      bool isSelf = name.cache[0] == 's';
      if (!first)
        inputs[name.past] = {"R", "", isSelf ? "P" : "S", ""};
      if (first || isSelf)
        outputs.push_back(name.present);
    }
    // Some exporters keep the unused encoder output as an input of this graph.
    if (!first && llvm::any_of(model->graph.inputs, [](const ValueInfo &input) {
          return input.name == "encoder_hidden_states";
        }))
      inputs["encoder_hidden_states"] = {"R", "S", ""};
    if (failed(bind(*model, file, inputs, outputs, options)))
      return mlir::failure();
    auto function = FunctionImport(module, *model, options).run();
    if (failed(function))
      return mlir::failure();
    mark(*function, role);
    return mlir::success();
  }

  /// Writes role and caches onto the function.
  void mark(mlir::func::FuncOp function, const std::string &role) {
    mlir::Builder builder(module.context());
    function->setAttr("xf.role", builder.getStringAttr(role));
    for (const CacheName &name : names) {
      auto cache = builder.getStringAttr(name.cache);
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (function.getArgAttrOfType<mlir::StringAttr>(i, "xf.name") ==
            name.past)
          function.setArgAttr(i, "xf.cache", cache);
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        if (function.getResultAttrOfType<mlir::StringAttr>(i, "xf.name") ==
            name.present)
          function.setResultAttr(i, "xf.cache", cache);
    }
  }

  /// select(logits, count, normalize, edits) -> values, ids, lse.
  mlir::LogicalResult select() {
    mlir::MLIRContext *context = module.context();
    mlir::OpBuilder builder =
        mlir::OpBuilder::atBlockEnd(module.get().getBody());
    mlir::Location loc = builder.getUnknownLoc();
    constexpr int64_t dynamic = mlir::ShapedType::kDynamic, width = 128;
    auto tensor = [](llvm::ArrayRef<int64_t> shape, mlir::Type element) {
      return mlir::RankedTensorType::get(shape, element);
    };
    mlir::Type f32 = builder.getF32Type(), i32 = builder.getI32Type(),
               i64 = builder.getI64Type();
    int64_t columns = folder.decoderVocabulary;
    struct Argument {
      const char *name;
      mlir::RankedTensorType type;
      std::vector<DimExpr> dims;
      std::string domain;
    };
    DimExpr n = DimExpr::dim("N"), e = DimExpr::dim("E");
    std::vector<Argument> arguments = {
        {"logits",
         tensor({dynamic, columns}, f32),
         {n, DimExpr(columns)},
         "normal(1.0)"},
        {"count", tensor({}, i64), {}, "length(128)"},
        {"normalize", tensor({}, i64), {}, "range(0,3)"},
        {"edit_id", tensor({dynamic, dynamic}, i32), {n, e}, ids(columns)},
        {"edit_kind", tensor({dynamic, dynamic}, i32), {n, e}, "range(0,3)"},
        {"edit_value", tensor({dynamic, dynamic}, f32), {n, e}, "normal(1.0)"}};
    llvm::SmallVector<mlir::Type> types,
        results = {tensor({dynamic, width}, f32), tensor({dynamic, width}, i32),
                   tensor({dynamic}, f32)};
    for (const Argument &argument : arguments)
      types.push_back(argument.type);
    auto function = mlir::func::FuncOp::create(
        builder, loc, "select", builder.getFunctionType(types, results));
    mlir::Block *body = function.addEntryBlock();
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      function.setArgAttr(i, "xf.name", builder.getStringAttr(argument.name));
      function.setArgAttr(i, "xf.dims", xf::dimsToAttr(context, argument.dims));
      function.setArgAttr(i, "xf.domain",
                          builder.getStringAttr(argument.domain));
    }
    const char *const resultNames[] = {"values", "ids", "lse"};
    for (auto [i, name] : llvm::enumerate(resultNames))
      function.setResultAttr(i, "xf.name", builder.getStringAttr(name));
    builder.setInsertionPointToStart(body);
    auto op = xf::SelectOp::create(builder, loc, results, body->getArguments());
    op->setAttr("k", builder.getI64IntegerAttr(width));
    mlir::func::ReturnOp::create(builder, loc, op->getResults());
    return mlir::success();
  }

  const HubFolder &folder;
  ModuleImport module;
  std::vector<CacheName> names;
};

} // namespace

mlir::FailureOr<HubImport> onnx::importHubFolder(const std::string &path,
                                                 mlir::MLIRContext &context) {
  loadDialects(context);
  Result<HubFolder> folder = readHubFolder(path);
  if (!folder) {
    mlir::emitError(mlir::UnknownLoc::get(&context))
        << folder.status().toString();
    return mlir::failure();
  }
  Importer importer(*folder, context);
  if (failed(importer.run()) || failed(mlir::verify(importer.get().get())))
    return mlir::failure();
  HubImport result;
  result.module = importer.get().take();
  result.folder = *folder;
  return result;
}
