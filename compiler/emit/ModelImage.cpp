//===- ModelImage.cpp - What the runtime reads of a model -----------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/ModelImage.h"

#include "dialects/plan/Plan.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dragoman;

namespace {

class ImageBuilder {
public:
  explicit ImageBuilder(ModuleOp module) : module(module), symbols(module) {}

  FailureOr<ModelImage> build();

private:
  LogicalResult addState(plan::StateOp state);
  LogicalResult addSite(plan::SiteOp site);
  LogicalResult addEntry(plan::EntryOp entry);
  LogicalResult addBorder(plan::EntryOp entry, EntryTable &table);
  LogicalResult addSlot(plan::SlotOp slot, EntryTable &table);
  LogicalResult addPart(plan::PartOp part, EntryTable &table);
  LogicalResult addLoop(plan::LoopOp loop, EntryTable &table);
  LogicalResult addBlock(Block &block, EntryTable &table);
  LogicalResult addDispatch(plan::DispatchOp dispatch, EntryTable &table);
  FailureOr<uint32_t> kernelIndex(plan::KernelOp kernel);
  FailureOr<uint32_t> weightIndex(plan::WeightOp weight);
  uint32_t slotIndex(Value slot) { return slotIndices.at(slot); }

  ModuleOp module;
  SymbolTable symbols;
  ModelImage image;
  llvm::StringMap<uint32_t> states, kernels, weights;
  llvm::DenseMap<Value, uint32_t> slotIndices;
};

} // namespace

/// The type as a tensor of the runtime holds it.
static FailureOr<ElementType> elementType(Operation *op, Type type) {
  Type element = cast<ShapedType>(type).getElementType();
  std::optional<ElementType> found =
      llvm::TypeSwitch<Type, std::optional<ElementType>>(element)
          .Case<Float32Type>([](auto) { return ElementType::F32; })
          .Case<Float64Type>([](auto) { return ElementType::F64; })
          .Case<Float16Type>([](auto) { return ElementType::F16; })
          .Case<BFloat16Type>([](auto) { return ElementType::BF16; })
          .Case<IntegerType>(
              [](IntegerType integer) -> std::optional<ElementType> {
                switch (integer.getWidth()) {
                case 64:
                  return ElementType::I64;
                case 32:
                  return ElementType::I32;
                case 8:
                  return integer.isUnsigned() ? ElementType::U8
                                              : ElementType::I8;
                case 1:
                  return ElementType::I1;
                default:
                  return std::nullopt;
                }
              })
          .Default([](Type) { return std::nullopt; });
  if (!found)
    return op->emitOpError("expected an element type of the runtime, found ")
           << element;
  return *found;
}

/// The expression of a text that a verifier has seen.
static FailureOr<DimExpr> expression(Operation *op, llvm::StringRef text) {
  Result<DimExpr> parsed = DimExpr::parse(text);
  if (!parsed)
    return op->emitOpError(parsed.status().toString());
  return *parsed;
}

static FailureOr<std::vector<DimExpr>> expressions(Operation *op,
                                                   ArrayAttr texts) {
  std::vector<DimExpr> result;
  for (auto text : texts.getAsRange<StringAttr>()) {
    FailureOr<DimExpr> parsed = expression(op, text.getValue());
    if (failed(parsed))
      return failure();
    result.push_back(*parsed);
  }
  return result;
}

static std::vector<std::string> strings(ArrayAttr texts) {
  std::vector<std::string> result;
  for (auto text : texts.getAsRange<StringAttr>())
    result.push_back(text.getValue().str());
  return result;
}

LogicalResult ImageBuilder::addState(plan::StateOp state) {
  FailureOr<ElementType> type = elementType(state, state.getType());
  FailureOr<std::vector<DimExpr>> shape = expressions(state, state.getDims());
  if (failed(type) || failed(shape))
    return failure();
  states[state.getSymName()] = image.states.size();
  StateDesc desc;
  desc.tensor = {state.getSymName().str(), *type, *shape};
  desc.layout = state.getLayout().str();
  desc.rowAxis = static_cast<int32_t>(state.getRowAxis());
  desc.appendAxis = static_cast<int32_t>(state.getAppendAxis());
  image.states.push_back(desc);
  return success();
}

LogicalResult ImageBuilder::addSite(plan::SiteOp site) {
  int64_t number = site.getNumber();
  if (number < 0 || number >= 1 << 20)
    return site.emitOpError("expected a small non-negative number, found ")
           << number;
  if (image.sites.size() <= static_cast<size_t>(number))
    image.sites.resize(number + 1);
  image.sites[number] = {site.getNode().str(), site.getMessage().str()};
  return success();
}

FailureOr<uint32_t> ImageBuilder::kernelIndex(plan::KernelOp kernel) {
  auto [found, isNew] =
      kernels.try_emplace(kernel.getSymName(), image.kernels.size());
  if (!isNew)
    return found->second;
  if (!kernel.getScheduleAttr() || !kernel.getTilesAttr())
    return kernel.emitOpError("expected a schedule and a number of tiles");
  KernelDesc desc;
  desc.symbol = kernel.getSymName().str();
  desc.root = kernel.getScheduleAttr().getRoot().str();
  llvm::raw_string_ostream(desc.schedule) << kernel.getScheduleAttr();
  desc.dims = strings(kernel.getDims());
  desc.scratchBytes = kernel.getScratch();
  image.kernels.push_back(desc);
  return found->second;
}

FailureOr<uint32_t> ImageBuilder::weightIndex(plan::WeightOp weight) {
  auto [found, isNew] =
      weights.try_emplace(weight.getSymName(), image.weights.size());
  if (!isNew)
    return found->second;
  FailureOr<ElementType> type = elementType(weight, weight.getType());
  if (failed(type))
    return failure();
  auto tensor = cast<RankedTensorType>(weight.getType());
  WeightDesc desc;
  desc.name = weight.getSymName().str();
  desc.type = *type;
  desc.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  desc.layout = weight.getLayout().str();
  image.weights.push_back(desc);
  return found->second;
}

LogicalResult ImageBuilder::addSlot(plan::SlotOp slot, EntryTable &table) {
  FailureOr<DimExpr> offset = expression(slot, slot.getOffset());
  FailureOr<DimExpr> bytes = expression(slot, slot.getBytes());
  if (failed(offset) || failed(bytes))
    return failure();
  SlotDesc desc;
  desc.space = llvm::StringSwitch<SlotSpace>(slot.getSpace())
                   .Case("input", SlotSpace::Input)
                   .Case("output", SlotSpace::Output)
                   .Case("state", SlotSpace::State)
                   .Case("weight", SlotSpace::Weight)
                   .Default(SlotSpace::Arena);
  desc.index = static_cast<uint32_t>(slot.getIndex());
  desc.offset = *offset;
  desc.bytes = *bytes;
  if (slot.getSymbolAttr()) {
    llvm::StringRef name = *slot.getSymbol();
    if (desc.space == SlotSpace::State && states.contains(name)) {
      desc.index = states[name];
    } else if (auto weight = symbols.lookup<plan::WeightOp>(name)) {
      FailureOr<uint32_t> index = weightIndex(weight);
      if (failed(index))
        return failure();
      desc.index = *index;
    } else {
      return slot.emitOpError("expected a known symbol, found '")
             << name << "'";
    }
  }
  slotIndices[slot.getResult()] = table.slots.size();
  table.slots.push_back(desc);
  return success();
}

LogicalResult ImageBuilder::addPart(plan::PartOp part, EntryTable &table) {
  FailureOr<DimExpr> offset = expression(part, part.getOffset());
  FailureOr<DimExpr> bytes = expression(part, part.getBytes());
  if (failed(offset) || failed(bytes))
    return failure();
  SlotDesc desc = table.slots[slotIndex(part.getWhole())];
  desc.offset += *offset;
  desc.bytes = *bytes;
  slotIndices[part.getResult()] = table.slots.size();
  table.slots.push_back(desc);
  return success();
}

LogicalResult ImageBuilder::addLoop(plan::LoopOp loop, EntryTable &table) {
  FailureOr<DimExpr> trips = expression(loop, loop.getTrips());
  if (failed(trips))
    return failure();
  Command command;
  command.kind = CommandKind::LoopBegin;
  command.name = loop.getDim().str();
  command.dims = {*trips};
  table.commands.push_back(command);
  if (failed(addBlock(loop.getBody().front(), table)))
    return failure();
  command.kind = CommandKind::LoopEnd;
  command.dims.clear();
  table.commands.push_back(command);
  return success();
}

LogicalResult ImageBuilder::addDispatch(plan::DispatchOp dispatch,
                                        EntryTable &table) {
  auto kernel = symbols.lookup<plan::KernelOp>(dispatch.getKernel());
  if (!kernel)
    return dispatch.emitOpError("expected a kernel named '")
           << dispatch.getKernel() << "'";
  FailureOr<uint32_t> index = kernelIndex(kernel);
  FailureOr<std::vector<DimExpr>> dims =
      expressions(dispatch, dispatch.getDims());
  if (failed(index) || failed(dims))
    return failure();
  FailureOr<DimExpr> tiles = expression(kernel, *kernel.getTiles());
  if (failed(tiles))
    return failure();
  const KernelDesc &desc = image.kernels[*index];
  Command command;
  command.kind = CommandKind::Dispatch;
  command.kernel = *index;
  command.dims = *dims;
  command.name = desc.root;
  command.tiles =
      tiles->substitute([&](const std::string &name) -> std::optional<DimExpr> {
        for (auto [i, dim] : llvm::enumerate(desc.dims))
          if (dim == name)
            return command.dims[i];
        return std::nullopt;
      });
  for (Value operand : dispatch.getOperands())
    command.slots.push_back(slotIndex(operand));
  table.commands.push_back(command);
  return success();
}

/// The tensors that a caller passes; states stay in the session.
LogicalResult ImageBuilder::addBorder(plan::EntryOp entry, EntryTable &table) {
  auto add = [&](Type type, DictionaryAttr attributes,
                 llvm::StringRef otherwise,
                 std::vector<TensorDesc> &list) -> LogicalResult {
    if (attributes && attributes.contains("plan.state"))
      return success();
    TensorDesc desc;
    auto name = attributes ? attributes.getAs<StringAttr>("xf.name") : nullptr;
    desc.name = name ? name.getValue().str()
                     : (otherwise + std::to_string(list.size())).str();
    FailureOr<ElementType> element = elementType(entry, type);
    auto dims = attributes ? attributes.getAs<ArrayAttr>("xf.dims") : nullptr;
    if (failed(element) || !dims)
      return failed(element) ? failure()
                             : entry.emitOpError("expected xf.dims of '")
                                   << desc.name << "'";
    FailureOr<std::vector<DimExpr>> shape = expressions(entry, dims);
    if (failed(shape))
      return failure();
    desc.type = *element;
    desc.shape = *shape;
    list.push_back(desc);
    return success();
  };
  FunctionType type = entry.getFunctionType();
  for (auto [i, input] : llvm::enumerate(type.getInputs()))
    if (failed(add(input, entry.getArgAttrDict(i), "input", table.inputs)))
      return failure();
  for (auto [i, result] : llvm::enumerate(type.getResults()))
    if (failed(
            add(result, entry.getResultAttrDict(i), "output", table.outputs)))
      return failure();
  return success();
}

LogicalResult ImageBuilder::addEntry(plan::EntryOp entry) {
  EntryTable table;
  table.name = entry.getSymName().str();
  table.dims = strings(entry.getDims());
  if (failed(addBorder(entry, table)))
    return failure();
  if (!entry.getArena())
    return entry.emitOpError("expected an arena: run plan-assign-slots first");
  FailureOr<DimExpr> arena = expression(entry, *entry.getArena());
  if (failed(arena))
    return failure();
  table.arenaBytes = *arena;
  if (failed(addBlock(entry.getBody().front(), table)))
    return failure();
  image.entries.push_back(std::move(table));
  return success();
}

LogicalResult ImageBuilder::addBlock(Block &block, EntryTable &table) {
  for (Operation &op : block) {
    LogicalResult added =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case([&](plan::SlotOp slot) { return addSlot(slot, table); })
            .Case([&](plan::PartOp part) { return addPart(part, table); })
            .Case([&](plan::LoopOp loop) { return addLoop(loop, table); })
            .Case([&](plan::DispatchOp dispatch) {
              return addDispatch(dispatch, table);
            })
            .Case([&](plan::CopyOp copy) {
              Command command;
              command.kind = CommandKind::Copy;
              command.name = "copy";
              command.slots = {slotIndex(copy.getSource()),
                               slotIndex(copy.getTarget())};
              table.commands.push_back(command);
              return success();
            })
            .Case([&](plan::FillOp fill) {
              Command command;
              command.kind = CommandKind::Fill;
              command.name = "fill";
              command.slots = {slotIndex(fill.getTarget())};
              command.value = fill.getValue();
              table.commands.push_back(command);
              return success();
            })
            .Case([&](plan::CheckOp check) -> LogicalResult {
              FailureOr<DimExpr> left = expression(check, check.getLeft());
              FailureOr<DimExpr> right = expression(check, check.getRight());
              if (failed(left) || failed(right))
                return failure();
              Command command;
              command.kind = CommandKind::CheckEqual;
              command.name = "check";
              command.dims = {*left, *right};
              command.value = check.getSite();
              table.commands.push_back(command);
              return success();
            })
            .Case<plan::NextOp, plan::ReturnOp>([](auto) { return success(); })
            .Default([](Operation *other) {
              return other->emitOpError(
                  "has no form in a command table: expected entries in slots");
            });
    if (failed(added))
      return failure();
  }
  return success();
}

FailureOr<ModelImage> ImageBuilder::build() {
  for (plan::StateOp state : module.getOps<plan::StateOp>())
    if (failed(addState(state)))
      return failure();
  for (plan::SiteOp site : module.getOps<plan::SiteOp>())
    if (failed(addSite(site)))
      return failure();
  for (plan::EntryOp entry : module.getOps<plan::EntryOp>())
    if (failed(addEntry(entry)))
      return failure();
  return std::move(image);
}

FailureOr<ModelImage> dragoman::buildModelImage(ModuleOp module) {
  return ImageBuilder(module).build();
}

void ModelImage::describe(Manifest &manifest) && {
  manifest.entries.clear();
  manifest.peak.clear();
  for (const EntryTable &entry : entries) {
    manifest.entries.push_back(entry.name);
    manifest.peak[entry.name] = entry.arenaBytes;
  }
  manifest.kernels = std::move(kernels);
  manifest.states = std::move(states);
  manifest.sites = std::move(sites);
  manifest.weights = std::move(weights);
}
