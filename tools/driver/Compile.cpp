//===- Compile.cpp - From a model to an artifact ----------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/Compile.h"

#include "compiler/pipeline/Pipeline.h"
#include "runtime/artifact/Artifact.h"
#include "runtime/base/AtomicFile.h"
#include "runtime/base/MappedFile.h"
#include "tools/driver/Diagnostics.h"
#include "tools/driver/EmitArtifact.h"
#include "tools/driver/LoadModel.h"
#include "tools/driver/Registration.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdio>

using namespace dragoman;

/// The levels of an artifact that names none.
static const std::vector<std::string> portableLevels = {"x86-64-v3",
                                                        "x86-64-v4"};

namespace {

/// Seconds since it was made or last read.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    return seconds;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// One run of the compiler.
class Compilation {
public:
  Compilation(const CompileJob &job, const MessageSink &message)
      : job(job), message(message), context(makeRegistry()),
        diagnostics(context, message) {
    context.disableMultithreading();
    context.loadAllAvailableDialects();
  }

  Status run() {
    std::optional<Stage> stop = Stage::Lowering;
    if (!job.stopAfter.empty() && !(stop = parseStage(job.stopAfter)))
      return refuse(
          Status(StatusCode::InvalidArgument,
                 "expected one of " + stageNames() + ", found " + job.stopAfter,
                 "--stop-after"));
    if (llvm::StringRef(job.input).ends_with(".dgm"))
      return job.stopAfter.empty()
                 ? recompile()
                 : refuse(Status(StatusCode::InvalidArgument,
                                 "an artifact holds the IR of the last stage "
                                 "only",
                                 "--stop-after"));
    Result<LoadedModel> model = loadModel(job.input, context);
    if (!model)
      return diagnosed(model.status());
    for (const std::string &note : model->notes)
      message(MessageLevel::Warning, job.input + ": " + note);
    step("read");
    if (Status status = runStages(*model->module, model->stage, *stop); !status)
      return status;
    if (!job.stopAfter.empty())
      return writeText(*model->module);
    Result<std::vector<LevelCode>> code = emitLevels(*model->module);
    if (!code)
      return code.status();
    Status status =
        writeArtifact(*model->module, *code, model->extras, job.output);
    step("write");
    return status ? status : diagnosed(status);
  }

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  /// Reports an error that no diagnostic has reported.
  Status refuse(Status status) {
    message(MessageLevel::Error, status.toString());
    return status;
  }

  /// The first diagnostic if there was one, else `status`, reported.
  Status diagnosed(Status status) {
    Status first = diagnostics.failure("");
    if (first.code() != StatusCode::Internal)
      return first;
    return refuse(std::move(status));
  }

  void step(const std::string &name) { stepTook(name, watch.lap()); }
  void stepTook(const std::string &name, double seconds) {
    char text[80];
    std::snprintf(text, sizeof text, "%-16s %6.2f s", name.c_str(), seconds);
    message(MessageLevel::Progress, text);
  }

  Status runStages(mlir::ModuleOp module, Stage from, Stage to) {
    PipelineOptions options;
    options.startFrom = from;
    options.stopAfter = to;
    options.dumpDir = job.dumpDir;
    if (!job.schedule.empty()) {
      Result<std::string> text = readFile(job.schedule);
      if (!text)
        return refuse(text.status());
      Result<ScheduleOverrides> numbers = parseScheduleOverrides(*text);
      if (!numbers)
        return refuse(numbers.status().at(job.schedule));
      options.schedule = *numbers;
    }
    options.progress = [&](Stage stage, double seconds) {
      stepTook(stageName(stage).str(), seconds);
    };
    bool done = succeeded(runPipeline(module, options));
    watch.lap();
    return done ? Status::ok()
                : diagnosed(Status(StatusCode::Internal, "a stage failed",
                                   job.input));
  }

  Status writeText(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    text += '\n';
    if (job.output == "-") {
      llvm::outs() << text;
      return Status::ok();
    }
    Status status = writeFileAtomically(job.output, text);
    return status ? status : refuse(status);
  }

  Result<std::vector<LevelCode>> emitLevels(mlir::ModuleOp module) {
    std::vector<LevelCode> code;
    for (const std::string &level :
         job.levels.empty() ? portableLevels : job.levels) {
      mlir::FailureOr<LevelCode> bytes = emitLevel(module, level);
      if (failed(bytes))
        return diagnosed(
            Status(StatusCode::Internal, "no code could be generated", level));
      code.push_back(std::move(*bytes));
      step("code " + level);
    }
    return code;
  }

  /// The artifact again, with code for other levels; all else stays.
  Status recompile() {
    Result<std::unique_ptr<Artifact>> opened = Artifact::open(job.input);
    if (!opened)
      return refuse(opened.status());
    const Artifact &artifact = **opened;
    Result<std::string_view> ir = artifact.member(irMember);
    if (!ir)
      return refuse(ir.status());
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(
            llvm::StringRef(ir->data(), ir->size()), &context, irMember);
    if (!module)
      return diagnosed(
          Status(StatusCode::InvalidData, "the IR cannot be read", job.input));
    step("read");
    Result<std::vector<LevelCode>> code = emitLevels(*module);
    if (!code)
      return code.status();
    Status status = rewriteArtifact(artifact, *code, job.output);
    step("write");
    return status ? status : refuse(status);
  }

  const CompileJob &job;
  const MessageSink &message;
  mlir::MLIRContext context;
  DiagnosticSink diagnostics;
  Stopwatch watch;
};
} // namespace

Status dragoman::compileModel(const CompileJob &job,
                              const MessageSink &message) {
  return Compilation(job, message).run();
}
