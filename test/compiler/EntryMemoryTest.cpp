//===- EntryMemoryTest.cpp - Random entries from values to command tables -===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generator writes random entries on values and knows what every tensor must
// hold: a number that depends on the command, the result and the tensors read.
// The entry goes through plan-assign-slots and buildModelImage, its table
// through serializeEntry, and a machine of 4-byte cells walks the table. Every
// read checks all cells, so a tensor overwritten too early is found.
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/ModelImage.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/VerifyMemory.h"
#include "dialects/xf/Xf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <random>

using namespace dragoman;

namespace {

using Content = uint64_t;
using DimValues = std::map<std::string, int64_t>;

Content mix(Content a, Content b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdull;
  return a ^ (a >> 33);
}

/// What a kernel of a generated entry computes.
struct Kernel {
  size_t arguments = 0;
  std::vector<int> aliases; ///< one per result: the argument, or -1
};

/// What result `result` of kernel `number` holds.
Content resultOf(size_t number, size_t result,
                 const std::vector<Content> &arguments) {
  Content content = mix(number + 1, result + 17);
  for (Content argument : arguments)
    content = mix(content, argument);
  return content;
}

/// A random entry @main(x, y, states...) in the dimensions B, S and Cap.
class RandomEntry {
public:
  explicit RandomEntry(unsigned seed) : random(seed) { generate(); }

  std::string text;
  std::vector<Kernel> kernels; ///< kernel i is named @k<i>
  std::vector<Content> outputs, states;

  static Content inputContent(size_t i) { return 1000 + i; }
  static Content weightContent() { return 2000; }
  static Content stateContent(size_t i) { return 3000 + i; }

private:
  struct Tensor {
    std::string name, size;
    Content content;
    bool isColumn = false; ///< [N,1] instead of [N]
  };

  unsigned below(unsigned n) { return random() % n; }
  static std::string type(bool isColumn) {
    return isColumn ? "tensor<?x1xf32>" : "tensor<?xf32>";
  }
  static std::string dims(const Tensor &tensor) {
    return "{xf.dims = [\"" + tensor.size + "\"" +
           (tensor.isColumn ? ", \"1\"]" : "]");
  }

  void generate();
  void addView();
  void addDispatch(size_t number);
  std::string addReturn(std::string &results);

  std::mt19937 random;
  std::string kernelText, body;
  std::vector<Tensor> values, stateValues;
};

void RandomEntry::generate() {
  values = {{"%x", "16*B", inputContent(0)}, {"%y", "B*S", inputContent(1)}};
  std::string symbols = "plan.weight @w : tensor<20xf32> {source = "
                        "#plan.normal<1, 0.5>}\n";
  std::string arguments = "%x: tensor<?xf32> {xf.name = \"x\", xf.dims = "
                          "[\"16*B\"]}, %y: tensor<?xf32> {xf.name = \"y\", "
                          "xf.dims = [\"B*S\"]}";
  for (size_t i = 0, n = below(3); i < n; ++i) {
    std::string name = "c" + std::to_string(i);
    symbols += "plan.state @" + name +
               " : tensor<?xf32> {dims = [\"Cap\"], append_axis = 0 : i64}\n";
    arguments += ", %" + name + ": tensor<?xf32> {plan.state = @" + name +
                 ", xf.dims = [\"Cap\"]}";
    stateValues.push_back({"%" + name, "Cap", stateContent(i)});
  }
  body = "  %w0 = plan.load @w : tensor<20xf32>\n"
         "  %w = tensor.cast %w0 : tensor<20xf32> to tensor<?xf32>\n"
         "  %zero = arith.constant 0 : index\n";
  values.push_back({"%w", "20", weightContent()});
  for (size_t i = 0, n = 2 + below(12); i < n; ++i) {
    if (below(4) == 0)
      addView();
    addDispatch(i);
  }
  std::string results, returned = addReturn(results);
  text = symbols + kernelText + "plan.entry @main(" + arguments + ") -> (" +
         results + ") attributes {dims = [\"B\", \"S\", \"Cap\"]} {\n" + body +
         returned + "}\n";
}

/// A column of a row, or a row of a column.
void RandomEntry::addView() {
  Tensor source = values[below(values.size())];
  Tensor view = source;
  view.name += "v";
  for (const Tensor &value : values)
    if (value.name == view.name)
      return;
  view.isColumn = !source.isColumn;
  if (view.isColumn)
    body += "  " + view.name + "d = tensor.dim " + source.name +
            ", %zero : tensor<?xf32>\n  " + view.name +
            " = tensor.expand_shape " + source.name +
            " [[0, 1]] output_shape [" + view.name +
            "d, 1] : tensor<?xf32> into tensor<?x1xf32>\n";
  else
    body += "  " + view.name + " = tensor.collapse_shape " + source.name +
            " [[0, 1]] : tensor<?x1xf32> into tensor<?xf32>\n";
  values.push_back(view);
}

void RandomEntry::addDispatch(size_t number) {
  static const char *const sizes[] = {"16*B", "B*S",          "3*B*S", "32*B*S",
                                      "S",    "max(B,S) + 1", "48*B",  "100"};
  std::string name = "k" + std::to_string(number);
  std::vector<Tensor> arguments, results;
  Kernel kernel;
  if (!stateValues.empty() && below(3) == 0) {
    Tensor &state = stateValues[below(stateValues.size())];
    arguments.push_back(state);
    if (below(3) != 0) { // an update, else a read
      kernel.aliases.push_back(0);
      results.push_back(state);
    }
  }
  for (size_t i = 0, n = 1 + below(3); i < n; ++i) {
    // Mostly recent values, so that others die.
    size_t window = std::min<size_t>(values.size(), 4);
    size_t pick = below(5) == 0 ? below(values.size())
                                : values.size() - 1 - below(window);
    arguments.push_back(values[pick]);
  }
  for (size_t i = 0, n = results.empty() ? 1 + below(2) : below(2); i < n;
       ++i) {
    kernel.aliases.push_back(-1);
    results.push_back({"", sizes[below(std::size(sizes))], 0});
  }
  std::vector<Content> contents;
  for (const Tensor &argument : arguments)
    contents.push_back(argument.content);

  std::string types, operands, parameters, resultTypes, yielded, attributes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string comma = i ? ", " : "";
    operands += comma + arguments[i].name;
    types += comma + type(arguments[i].isColumn);
    parameters += comma + "%a" + std::to_string(i) + ": " +
                  type(arguments[i].isColumn) + " " + dims(arguments[i]) + "}";
  }
  for (size_t i = 0; i < results.size(); ++i) {
    std::string comma = i ? ", " : "";
    resultTypes += comma + "tensor<?xf32>";
    yielded += comma + "%z";
    attributes += comma + "tensor<?xf32> " + dims(results[i]) +
                  (kernel.aliases[i] < 0 ? "}" : ", plan.alias = 0 : i64}");
    results[i].name = "%r" + std::to_string(number) + "_" + std::to_string(i);
    results[i].content = resultOf(number, i, contents);
    (i ? body += ", " : body += "  ") += results[i].name;
  }
  body += " = plan.dispatch @" + name + "(" + operands +
          ") dims [\"B\", \"S\", \"Cap\"] : (" + types + ") -> (" +
          resultTypes + ")\n";
  kernelText += "plan.kernel @" + name + "(" + parameters + ") -> (" +
                attributes +
                ") attributes {dims = [\"B\", \"S\", \"Cap\"], tiles = \"B\", "
                "schedule = #plan.schedule<\"elementwise\", {}>} {\n"
                "  %n = arith.constant 1 : index\n"
                "  %z = tensor.empty(%n) : tensor<?xf32>\n  plan.yield " +
                yielded + " : " + resultTypes + "\n}\n";
  kernel.arguments = arguments.size();
  kernels.push_back(kernel);
  for (size_t i = 0; i < results.size(); ++i) {
    if (kernel.aliases[i] < 0) {
      values.push_back(results[i]);
      continue;
    }
    for (Tensor &state : stateValues)
      if (state.name == arguments[0].name)
        state = results[i];
  }
}

/// States first or last, and up to four values, some of them twice.
std::string RandomEntry::addReturn(std::string &results) {
  std::vector<std::string> names, types, declarations;
  for (size_t i = 0; i < stateValues.size(); ++i) {
    names.push_back(stateValues[i].name);
    types.push_back("tensor<?xf32>");
    declarations.push_back("tensor<?xf32> {plan.state = @c" +
                           std::to_string(i) + ", xf.dims = [\"Cap\"]}");
    states.push_back(stateValues[i].content);
  }
  for (size_t i = 0, n = 1 + below(4); i < n; ++i) {
    const Tensor &value = values[below(3) == 0 ? below(values.size())
                                               : values.size() - 1 - below(2)];
    names.push_back(value.name);
    types.push_back(type(value.isColumn));
    declarations.push_back(type(value.isColumn) + " " + dims(value) +
                           ", xf.name = \"o" + std::to_string(i) + "\"}");
    outputs.push_back(value.content);
  }
  std::string returned = "  plan.return ", list;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string comma = i ? ", " : "";
    returned += comma + names[i];
    list += comma + types[i];
    results += comma + declarations[i];
  }
  return returned + " : " + list + "\n";
}

/// Walks a command table over cells of 4 bytes, each of which knows which
/// tensor it belongs to and its place there.
class Machine {
public:
  Machine(const EntryTable &table, const ModelImage &image,
          const RandomEntry &entry, const DimValues &dims)
      : table(table), image(image), entry(entry), dims(dims) {}

  /// False if a command read a tensor that was not whole, or an output or a
  /// state holds something else at the end than the generator says.
  bool run();

  int64_t highWater = 0; ///< end of the last arena byte written

private:
  struct Cell {
    Content content;
    int64_t place;
  };
  using Buffer = std::map<int64_t, Cell>;

  int64_t at(const DimExpr &expr) { return *expr.evaluate(dims); }
  void write(const SlotDesc &slot, Content content);
  std::optional<Content> read(const SlotDesc &slot);
  bool dispatch(const Command &command);
  void provideBorder();

  const EntryTable &table;
  const ModelImage &image;
  const RandomEntry &entry;
  DimValues dims;
  std::map<std::pair<SlotSpace, uint32_t>, Buffer> memory;
};

void Machine::write(const SlotDesc &slot, Content content) {
  int64_t offset = at(slot.offset), bytes = at(slot.bytes);
  for (int64_t i = 0; i < bytes; i += 4)
    memory[{slot.space, slot.index}][offset + i] = {content, i};
  if (slot.space == SlotSpace::Arena)
    highWater = std::max(highWater, offset + bytes);
}

/// The tensor that fills the slot, if one does.
std::optional<Content> Machine::read(const SlotDesc &slot) {
  int64_t offset = at(slot.offset), bytes = at(slot.bytes);
  Buffer &buffer = memory[{slot.space, slot.index}];
  std::optional<Content> content;
  for (int64_t i = 0; i < bytes; i += 4) {
    auto cell = buffer.find(offset + i);
    if (cell == buffer.end() || cell->second.place != i ||
        (content && *content != cell->second.content))
      return std::nullopt;
    content = cell->second.content;
  }
  return content;
}

bool Machine::dispatch(const Command &command) {
  size_t number = std::stoul(image.kernels[command.kernel].symbol.substr(1));
  const Kernel &kernel = entry.kernels[number];
  std::vector<Content> arguments;
  for (size_t i = 0; i < kernel.arguments; ++i) {
    std::optional<Content> content = read(table.slots[command.slots[i]]);
    if (!content)
      return false;
    arguments.push_back(*content);
  }
  size_t next = kernel.arguments;
  for (size_t i = 0; i < kernel.aliases.size(); ++i) {
    size_t operand = kernel.aliases[i] < 0 ? next++ : kernel.aliases[i];
    write(table.slots[command.slots[operand]], resultOf(number, i, arguments));
  }
  // A result written into an argument or another result is not whole.
  next = kernel.arguments;
  for (size_t i = 0; i < kernel.aliases.size(); ++i) {
    size_t operand = kernel.aliases[i] < 0 ? next++ : kernel.aliases[i];
    if (read(table.slots[command.slots[operand]]) !=
        resultOf(number, i, arguments))
      return false;
  }
  return next == command.slots.size();
}

/// Inputs, weights and states as the entry finds them.
void Machine::provideBorder() {
  for (const SlotDesc &slot : table.slots)
    if (slot.space == SlotSpace::Input)
      write(slot, RandomEntry::inputContent(slot.index));
    else if (slot.space == SlotSpace::Weight)
      write(slot, RandomEntry::weightContent());
    else if (slot.space == SlotSpace::State)
      write(slot, RandomEntry::stateContent(slot.index));
}

bool Machine::run() {
  provideBorder();
  for (const Command &command : table.commands) {
    if (command.kind == CommandKind::Dispatch && !dispatch(command))
      return false;
    if (command.kind == CommandKind::Copy) {
      std::optional<Content> content = read(table.slots[command.slots[0]]);
      if (!content)
        return false;
      write(table.slots[command.slots[1]], *content);
    }
  }
  std::vector<bool> isWritten(entry.outputs.size());
  for (const SlotDesc &slot : table.slots) {
    if (slot.space == SlotSpace::Output) {
      if (read(slot) != entry.outputs[slot.index])
        return false;
      isWritten[slot.index] = true;
    }
    if (slot.space == SlotSpace::State &&
        read(slot) != entry.states[slot.index])
      return false;
  }
  return llvm::all_of(isWritten, [](bool written) { return written; });
}

class EntryMemory : public ::testing::Test {
protected:
  EntryMemory() {
    context
        .loadDialect<plan::PlanDialect, xf::XfDialect,
                     mlir::arith::ArithDialect, mlir::tensor::TensorDialect>();
  }

  /// The entry in slots; null after a diagnostic.
  mlir::OwningOpRef<mlir::ModuleOp> assign(const RandomEntry &entry) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(entry.text, &context);
    mlir::PassManager manager(&context);
    manager.addPass(lowering::createAssignSlotsPass());
    if (!module || failed(manager.run(*module)))
      return nullptr;
    return module;
  }

  /// Builds the table, writes and reads it, and runs it.
  bool run(mlir::ModuleOp module, const RandomEntry &entry,
           const DimValues &dims, int64_t *unused = nullptr) {
    mlir::FailureOr<ModelImage> image = buildModelImage(module);
    if (failed(image))
      return false;
    Result<EntryTable> table = parseEntry(serializeEntry(image->entries[0]));
    if (!table)
      return false;
    Machine machine(*table, *image, entry, dims);
    bool isRight = machine.run();
    if (unused)
      *unused = *table->arenaBytes.evaluate(dims) - machine.highWater;
    return isRight;
  }

  mlir::MLIRContext context;
};

const DimValues points[] = {
    {{"B", 1}, {"S", 1}, {"Cap", 16}},
    {{"B", 3}, {"S", 7}, {"Cap", 32}},
    {{"B", 2}, {"S", 41}, {"Cap", 16}},
    {{"B", 17}, {"S", 2}, {"Cap", 48}},
};

// The table computes what the entry on values says, uses its arena to the last
// line of 64 bytes and no more, and the memory verifier agrees.
TEST_F(EntryMemory, TableComputesTheEntry) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    RandomEntry entry(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + entry.text);
    auto module = assign(entry);
    ASSERT_TRUE(module);
    mlir::SymbolTable symbols(*module);
    plan::EntryOp planned = *module->getOps<plan::EntryOp>().begin();
    EXPECT_TRUE(succeeded(verifyMemory(planned, symbols)));
    for (const DimValues &dims : points) {
      int64_t unused = 0;
      EXPECT_TRUE(run(*module, entry, dims, &unused));
      EXPECT_GE(unused, 0);
      EXPECT_LT(unused, 64);
    }
  }
}

// The text of an entry in slots is read back as the same text, and the same
// entry gives the same text again.
TEST_F(EntryMemory, TextIsStable) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomEntry entry(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + entry.text);
    auto print = [](mlir::ModuleOp module) {
      std::string text;
      llvm::raw_string_ostream(text) << module;
      return text;
    };
    auto module = assign(entry), again = assign(entry);
    ASSERT_TRUE(module && again);
    std::string text = print(*module);
    EXPECT_EQ(text, print(*again));
    auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(text, print(*parsed));
  }
}

// With a value moved into the bytes of another, the verifier never accepts what
// computes something else.
TEST_F(EntryMemory, VerifierRefusesWhatGoesWrong) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    RandomEntry entry(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + entry.text);
    auto module = assign(entry);
    ASSERT_TRUE(module);
    plan::EntryOp planned = *module->getOps<plan::EntryOp>().begin();
    std::vector<plan::SlotOp> slots;
    for (auto slot : planned.getBody().front().getOps<plan::SlotOp>())
      if (slot.getSpace() == "arena")
        slots.push_back(slot);
    if (slots.size() < 2)
      continue;
    std::mt19937 random(seed);
    plan::SlotOp moved = slots[random() % slots.size()];
    plan::SlotOp target = slots[random() % slots.size()];
    // Two values in one equal place are not the verifier's business.
    if (llvm::any_of(slots, [&](plan::SlotOp slot) {
          return slot.getOffset() == target.getOffset() &&
                 slot.getBytes() == moved.getBytes();
        }))
      continue;
    moved.setOffset(target.getOffset());

    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    mlir::SymbolTable symbols(*module);
    bool isAccepted = succeeded(verifyMemory(planned, symbols));
    bool isRight = llvm::all_of(points, [&](const DimValues &dims) {
      return run(*module, entry, dims);
    });
    EXPECT_TRUE(isRight || !isAccepted);
    wrong += !isRight;
  }
  EXPECT_GT(wrong, 20);
}

} // namespace
