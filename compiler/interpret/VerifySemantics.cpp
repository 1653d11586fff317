//===- VerifySemantics.cpp - Names the pass that changes a result ---------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/interpret/VerifySemantics.h"

#include "compiler/interpret/Evaluator.h"
#include "compiler/interpret/SeededInputs.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <set>

namespace dragoman::interpret {

namespace {

/// What one entry gives for one shape class: results by name, or an error.
struct Outcome {
  std::vector<std::pair<std::string, Tensor>> values;
  std::string error;
};

/// One entry of the module and the class that it runs in.
struct Run {
  std::string entry;
  unsigned shapeClass;
  bool operator<(const Run &other) const {
    return std::tie(entry, shapeClass) <
           std::tie(other.entry, other.shapeClass);
  }
};

/// A value inside a run, found again behind a pass by its place in the source.
struct Traced {
  std::string op, place;
  Tensor value;
};

/// An entry's arguments as the module that first had the entry states them.
struct EntryInputs {
  size_t origin = 0; ///< the number of that module
  std::vector<mlir::Type> types;
  std::vector<Tensor> arguments[3];
  std::string classText[3];
};

/// The module's text without locations.
std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags().useLocalScope());
  return text;
}

class Verifier : public mlir::PassInstrumentation {
public:
  Verifier(VerifyOptions options, bool &failed)
      : options(std::move(options)), failed(failed) {}

  void runBeforePass(mlir::Pass *, mlir::Operation *op) override {
    mlir::ModuleOp module = moduleOf(op);
    if (module && (module != current || textOf(module) != fingerprint))
      start(module);
  }
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override {
    if (mlir::ModuleOp module = moduleOf(op); module && module == current)
      compareBehind(pass->getArgument().empty() ? pass->getName()
                                                : pass->getArgument(),
                    module);
  }

private:
  static mlir::ModuleOp moduleOf(mlir::Operation *op) {
    auto module = llvm::dyn_cast<mlir::ModuleOp>(op);
    return module ? module : op->getParentOfType<mlir::ModuleOp>();
  }

  void start(mlir::ModuleOp module);
  /// Gives inputs to entries that have none yet; true if there were any.
  bool collectInputs(mlir::ModuleOp module);
  void compareBehind(llvm::StringRef pass, mlir::ModuleOp module);
  /// Evaluates one run, with a trace of its values if `trace` is given.
  Outcome evaluate(mlir::ModuleOp module, const Run &run, Mode mode,
                   std::vector<Traced> *trace = nullptr);
  std::map<Run, Outcome> evaluateAll(mlir::ModuleOp module, Mode mode);
  /// Says which of the first runs of an entry end with an error.
  void remarkFailing(mlir::ModuleOp module, const Run &run,
                     const Outcome &outcome);
  void compare(llvm::StringRef pass, mlir::ModuleOp module, const Run &run,
               const Outcome &before, const Outcome &after);
  void report(llvm::StringRef pass, mlir::ModuleOp module, const Run &run,
              const std::string &what);
  std::string earliestDifference(mlir::ModuleOp module, const Run &run);
  /// The wide value of a result of the first module, and how far the decomposed
  /// graph in typed mode is from it; null if neither can be had.
  struct Baseline {
    Tensor wide;
    double error;
  };
  const Baseline *baseline(const Run &run, const std::string &value);

  VerifyOptions options;
  bool &failed;
  mlir::ModuleOp current;
  mlir::OwningOpRef<mlir::ModuleOp> previous;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> origins;
  std::set<std::string> skipped; // entries that are not verified (any more)
  std::string fingerprint;
  std::map<std::string, EntryInputs> inputs;
  std::map<Run, Outcome> before;
  std::map<Run, std::map<std::string, Baseline>> baselines;
  llvm::StringMap<Tensor> weights; // of `#plan` sources, by name and type
};

/// Functions and entries that can be called from outside, on values.
bool isEntry(mlir::FunctionOpInterface function) {
  if (auto entry = llvm::dyn_cast<plan::EntryOp>(function.getOperation()))
    return !entry.getArena();
  return llvm::isa<mlir::func::FuncOp>(function) && function.isPublic() &&
         !function.isExternal();
}

std::string stateOf(mlir::DictionaryAttr attributes) {
  auto state = attributes
                   ? attributes.getAs<mlir::FlatSymbolRefAttr>("plan.state")
                   : mlir::FlatSymbolRefAttr();
  return state ? state.getValue().str() : std::string();
}

void Verifier::start(mlir::ModuleOp module) {
  current = module;
  fingerprint = textOf(module);
  previous = module.clone();
  origins.clear();
  skipped.clear();
  inputs.clear();
  baselines.clear();
  weights.clear();
  collectInputs(module);
  before = evaluateAll(*previous, Mode::Typed);
  for (const auto &[run, outcome] : before)
    remarkFailing(*previous, run, outcome);
}

bool Verifier::collectInputs(mlir::ModuleOp module) {
  bool any = false;
  for (auto function : module.getOps<mlir::FunctionOpInterface>()) {
    std::string name = function.getName().str();
    if (!isEntry(function) || inputs.count(name) || skipped.count(name))
      continue;
    EntryInputs entry;
    entry.origin = origins.size();
    llvm::append_range(entry.types, function.getArgumentTypes());
    bool usable = true;
    for (unsigned number = 0; number < ShapeClass::count(); ++number) {
      ShapeClass shapes(number);
      Result<std::vector<Tensor>> arguments =
          seededArguments(function, shapes, options.seed);
      if (!arguments) {
        function.emitRemark("@")
            << function.getName()
            << " is not verified: " << arguments.status().toString();
        usable = false;
        break;
      }
      entry.arguments[number] = std::move(*arguments);
      entry.classText[number] = shapes.text(function);
    }
    if (usable)
      inputs[name] = std::move(entry);
    else
      skipped.insert(name);
    any |= usable;
  }
  if (any)
    origins.push_back(module.clone());
  return any;
}

Outcome Verifier::evaluate(mlir::ModuleOp module, const Run &run, Mode mode,
                           std::vector<Traced> *trace) {
  auto function = llvm::cast<mlir::FunctionOpInterface>(
      mlir::SymbolTable::lookupSymbolIn(module, run.entry));
  Options interpretation;
  interpretation.mode = mode;
  interpretation.weights = [&](plan::WeightOp weight) -> Result<Tensor> {
    std::string key = weight.getSymName().str();
    llvm::raw_string_ostream(key) << *weight.getSource();
    auto found = weights.find(key);
    if (found != weights.end())
      return found->second;
    Result<Tensor> value = readWeight(weight, options.modelFolder);
    if (value)
      weights[key] = *value;
    return value;
  };
  if (trace)
    interpretation.trace = [&](mlir::Operation *op, unsigned,
                               const Tensor &value) {
      trace->push_back({op->getName().getStringRef().str(),
                        locationText(op->getLoc()), value});
    };
  Interpreter interpreter(module, std::move(interpretation));
  StateMap states;
  std::vector<Tensor> arguments;
  const std::vector<Tensor> &given =
      inputs[run.entry].arguments[run.shapeClass];
  for (unsigned number = 0; number < given.size(); ++number) {
    std::string state = stateOf(function.getArgAttrDict(number));
    if (state.empty())
      arguments.push_back(given[number]);
    else
      states[state] = given[number];
  }
  Outcome outcome;
  Result<std::vector<Tensor>> results =
      interpreter.run(run.entry, std::move(arguments), &states);
  if (!results) {
    outcome.error = results.status().message();
    return outcome;
  }
  size_t next = 0;
  for (unsigned number = 0; number < function.getNumResults(); ++number) {
    mlir::DictionaryAttr attributes = function.getResultAttrDict(number);
    if (std::string state = stateOf(attributes); !state.empty()) {
      outcome.values.push_back({"@" + state, states[state]});
      continue;
    }
    auto name = attributes ? attributes.getAs<mlir::StringAttr>("xf.name")
                           : mlir::StringAttr();
    outcome.values.push_back(
        {name ? name.str() : "result " + std::to_string(number),
         (*results)[next++]});
  }
  return outcome;
}

std::map<Run, Outcome> Verifier::evaluateAll(mlir::ModuleOp module, Mode mode) {
  std::map<Run, Outcome> outcomes;
  for (auto function : module.getOps<mlir::FunctionOpInterface>()) {
    auto found = inputs.find(function.getName().str());
    if (!isEntry(function) || found == inputs.end())
      continue;
    if (!llvm::equal(found->second.types, function.getArgumentTypes())) {
      function.emitRemark("@") << function.getName()
                               << " is not verified any more: its arguments "
                                  "changed";
      skipped.insert(found->first);
      inputs.erase(found);
      continue;
    }
    for (unsigned number = 0; number < ShapeClass::count(); ++number) {
      Run run{function.getName().str(), number};
      outcomes[run] = evaluate(module, run, mode);
    }
  }
  return outcomes;
}

void Verifier::remarkFailing(mlir::ModuleOp module, const Run &run,
                             const Outcome &outcome) {
  if (!outcome.error.empty())
    mlir::emitRemark(module.getLoc())
        << "@" << run.entry << " ("
        << inputs[run.entry].classText[run.shapeClass]
        << ") is not verified beyond its error: " << outcome.error;
}

const Verifier::Baseline *Verifier::baseline(const Run &run,
                                             const std::string &value) {
  auto [found, inserted] = baselines.try_emplace(run);
  if (inserted && options.decompose) {
    mlir::ModuleOp original = *origins[inputs[run.entry].origin];
    mlir::OwningOpRef<mlir::ModuleOp> decomposed = original.clone();
    if (mlir::succeeded(options.decompose(*decomposed))) {
      Outcome wide = evaluate(original, run, Mode::Wide);
      Outcome typed = evaluate(*decomposed, run, Mode::Typed);
      for (auto &&[left, right] : llvm::zip(wide.values, typed.values)) {
        left.second.roundElements(); // beyond the type's range is infinite
        if (left.second.shape() == right.second.shape())
          found->second[left.first] = {left.second,
                                       largestError(left.second, right.second)};
      }
    }
  }
  auto entry = found->second.find(value);
  return entry == found->second.end() ? nullptr : &entry->second;
}

/// The first value, in the order of evaluation, that stands at one place of the
/// source before and behind the pass and differs.
std::string Verifier::earliestDifference(mlir::ModuleOp module,
                                         const Run &run) {
  std::vector<Traced> old, fresh;
  (void)evaluate(*previous, run, Mode::Typed, &old);
  (void)evaluate(module, run, Mode::Typed, &fresh);
  using Key = std::pair<std::string, std::string>;
  std::map<Key, std::vector<const Traced *>> places, freshPlaces;
  for (const Traced &value : old)
    places[{value.place, value.op}].push_back(&value);
  for (const Traced &value : fresh)
    freshPlaces[{value.place, value.op}].push_back(&value);
  std::map<Key, size_t> seen;
  for (const Traced &value : fresh) {
    Key key{value.place, value.op};
    size_t occurrence = seen[key]++;
    auto found = places.find(key);
    if (value.place.empty() || found == places.end() ||
        found->second.size() != freshPlaces[key].size())
      continue;
    const Traced &counterpart = *found->second[occurrence];
    if (counterpart.value.shape() != value.value.shape() ||
        counterpart.value.element() != value.value.element() ||
        !firstDifference(value.value, counterpart.value,
                         options.tolerances.of(value.value.element())))
      continue;
    return value.op + " at " + value.place;
  }
  return "";
}

void Verifier::report(llvm::StringRef pass, mlir::ModuleOp module,
                      const Run &run, const std::string &what) {
  failed = true;
  mlir::InFlightDiagnostic error = mlir::emitError(module.getLoc());
  error << "pass '" << pass << "' changed @" << run.entry << " ("
        << inputs[run.entry].classText[run.shapeClass] << "): " << what;
  std::string earliest = earliestDifference(module, run);
  if (!earliest.empty())
    error.attachNote() << "the first value that differs: " << earliest;
}

void Verifier::compare(llvm::StringRef pass, mlir::ModuleOp module,
                       const Run &run, const Outcome &before,
                       const Outcome &after) {
  if (before.error != after.error)
    return report(pass, module, run,
                  "the run ends with '" + after.error + "', expected '" +
                      before.error + "'");
  if (before.values.size() != after.values.size())
    return report(pass, module, run,
                  std::to_string(after.values.size()) + " results, expected " +
                      std::to_string(before.values.size()));
  for (auto [expected, actual] : llvm::zip(before.values, after.values)) {
    if (actual.second.shape() != expected.second.shape() ||
        actual.second.element() != expected.second.element())
      return report(pass, module, run,
                    "value '" + expected.first + "' is of " +
                        actual.second.typeText() + ", expected " +
                        expected.second.typeText());
    Tolerance tolerance = options.tolerances.of(actual.second.element());
    std::optional<Difference> difference =
        firstDifference(actual.second, expected.second, tolerance);
    if (!difference)
      continue;
    // Beyond the table: as near to the exact value as the decomposed graph?
    if (const Baseline *exact = baseline(run, expected.first);
        exact && exact->wide.shape() == actual.second.shape()) {
      tolerance.atol =
          std::max(tolerance.atol, options.tolerances.ratio * exact->error);
      difference = firstDifference(actual.second, exact->wide, tolerance);
    }
    if (difference)
      return report(
          pass, module, run,
          "value '" + expected.first + "' " +
              differenceText(*difference, expected.second.shape(), tolerance));
  }
}

void Verifier::compareBehind(llvm::StringRef pass, mlir::ModuleOp module) {
  std::string text = textOf(module);
  if (text == fingerprint)
    return;
  fingerprint = std::move(text);
  mlir::OwningOpRef<mlir::ModuleOp> snapshot = module.clone();
  std::map<Run, Outcome> after = evaluateAll(*snapshot, Mode::Typed);
  bool reported = false;
  for (auto &[run, outcome] : after) {
    auto found = before.find(run);
    if (found == before.end() || reported)
      continue;
    bool earlier = std::exchange(failed, false);
    compare(pass, *snapshot, run, found->second, outcome);
    reported = failed;
    failed |= earlier;
  }
  // Entries that the pass made are verified from here on.
  if (collectInputs(*snapshot))
    for (auto &[run, outcome] : evaluateAll(*snapshot, Mode::Typed)) {
      auto [made, inserted] = after.try_emplace(run, std::move(outcome));
      if (inserted)
        remarkFailing(*snapshot, run, made->second);
    }
  before = std::move(after);
  previous = std::move(snapshot);
}

} // namespace

void verifySemantics(mlir::PassManager &manager, VerifyOptions options,
                     bool &failed) {
  manager.getContext()->disableMultithreading();
  manager.addInstrumentation(
      std::make_unique<Verifier>(std::move(options), failed));
}

} // namespace dragoman::interpret
