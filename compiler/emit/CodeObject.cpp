//===- CodeObject.cpp - From kernels to a shared object -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/CodeObject.h"

#include "compiler/lowering/cpu/LowerToLLVM.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <set>

using namespace mlir;
using namespace dragoman;

static constexpr llvm::StringLiteral targetTriple = "x86_64-unknown-linux-gnu";

/// The memory functions that the backend may call. Codegen turns no loop into
/// a call, so they do not call themselves.
static constexpr llvm::StringLiteral memoryFunctions = R"(
define hidden ptr @memset(ptr %to, i32 %value, i64 %count) nounwind {
  %byte = trunc i32 %value to i8
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %address = getelementptr i8, ptr %to, i64 %i
  store i8 %byte, ptr %address
  %next = add i64 %i, 1
  br label %head
end:
  ret ptr %to
}
define hidden ptr @memcpy(ptr %to, ptr %from, i64 %count) nounwind {
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %source = getelementptr i8, ptr %from, i64 %i
  %byte = load i8, ptr %source
  %address = getelementptr i8, ptr %to, i64 %i
  store i8 %byte, ptr %address
  %next = add i64 %i, 1
  br label %head
end:
  ret ptr %to
}
define hidden ptr @memmove(ptr %to, ptr %from, i64 %count) nounwind {
  %forward = icmp ule ptr %to, %from
  br label %head
head:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %end
body:
  %next = add i64 %i, 1
  %back = sub i64 %count, %next
  %at = select i1 %forward, i64 %i, i64 %back
  %source = getelementptr i8, ptr %from, i64 %at
  %byte = load i8, ptr %source
  %address = getelementptr i8, ptr %to, i64 %at
  store i8 %byte, ptr %address
  br label %head
end:
  ret ptr %to
}
)";

static void initializeTarget() {
  static const bool once = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  (void)once;
}

/// Runs the code generator over `ir`; an error is a text.
static llvm::Expected<std::string> generateCode(llvm::Module &ir,
                                                const CpuTarget &target) {
  initializeTarget();
  llvm::Triple triple(targetTriple);
  std::string error;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return llvm::createStringError(error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.FunctionSections = false;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("no target machine for %s",
                                   target.level.c_str());
  ir.setTargetTriple(triple);
  ir.setDataLayout(machine->createDataLayout());
  for (llvm::Function &function : ir)
    if (!function.isDeclaration())
      function.setDoesNotThrow();
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("the backend cannot write objects");
  passes.run(ir);
  return std::string(bytes.data(), bytes.size());
}

FailureOr<std::string> dragoman::emitObject(ModuleOp module,
                                            const CpuTarget &target) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!ir)
    return module.emitError("expected a module that translates to LLVM IR");
  llvm::Expected<std::string> object = generateCode(*ir, target);
  if (!object)
    return module.emitError(llvm::toString(object.takeError()));
  return std::move(*object);
}

/// The names that `object` needs from outside, sorted.
static llvm::Expected<std::set<std::string>>
undefinedSymbols(llvm::StringRef object) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(object, "kernels.o"));
  if (!file)
    return file.takeError();
  std::set<std::string> names;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!name->empty())
      names.insert(name->str());
  }
  return names;
}

/// An object that defines the memory functions.
static llvm::Expected<std::string>
emitMemoryFunctions(const CpuTarget &target) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> ir =
      llvm::parseAssemblyString(memoryFunctions, diagnostic, context);
  if (!ir)
    return llvm::createStringError(diagnostic.getMessage().str());
  return generateCode(*ir, target);
}

namespace {

/// A folder that goes away with its files.
struct TemporaryFolder {
  llvm::SmallString<128> path;

  ~TemporaryFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
  llvm::Error create() {
    return llvm::errorCodeToError(
        llvm::sys::fs::createUniqueDirectory("dragoman-link", path));
  }
  std::string file(llvm::StringRef name) const {
    return (path + "/" + name).str();
  }
};

} // namespace

static llvm::Error writeFile(const std::string &path, llvm::StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  if (code)
    return llvm::errorCodeToError(code);
  stream << bytes;
  stream.close();
  return stream.has_error() ? llvm::errorCodeToError(stream.error())
                            : llvm::Error::success();
}

/// Links objects with ld.lld in a folder of its own.
static llvm::Expected<std::string>
linkObjects(llvm::ArrayRef<llvm::StringRef> objects) {
  TemporaryFolder folder;
  if (llvm::Error error = folder.create())
    return error;
  std::vector<std::string> arguments = {DRAGOMAN_LLD,
                                        "-shared",
                                        "--no-undefined",
                                        "-Bsymbolic",
                                        "-z",
                                        "noexecstack",
                                        "-z",
                                        "now",
                                        "--strip-all",
                                        "--build-id=none",
                                        "--hash-style=gnu",
                                        "--eh-frame-hdr",
                                        "--gc-sections",
                                        "-o",
                                        folder.file("kernels.so")};
  for (auto [i, object] : llvm::enumerate(objects)) {
    arguments.push_back(folder.file("kernels" + std::to_string(i) + ".o"));
    if (llvm::Error error = writeFile(arguments.back(), object))
      return error;
  }
  std::string log = folder.file("log"), message;
  std::optional<llvm::StringRef> redirects[] = {
      llvm::StringRef(""), llvm::StringRef(log), llvm::StringRef(log)};
  std::vector<llvm::StringRef> words(arguments.begin(), arguments.end());
  int code = llvm::sys::ExecuteAndWait(DRAGOMAN_LLD, words, std::nullopt,
                                       redirects, 0, 0, &message);
  if (code != 0) {
    if (auto text = llvm::MemoryBuffer::getFile(log))
      message += (*text)->getBuffer();
    return llvm::createStringError("%s failed: %s", DRAGOMAN_LLD,
                                   message.c_str());
  }
  auto image = llvm::MemoryBuffer::getFile(folder.file("kernels.so"));
  if (!image)
    return llvm::errorCodeToError(image.getError());
  return (*image)->getBuffer().str();
}

FailureOr<std::string> dragoman::linkSharedObject(ModuleOp module,
                                                  llvm::StringRef object,
                                                  const CpuTarget &target) {
  auto fail = [&](llvm::Error error) -> FailureOr<std::string> {
    return module.emitError(llvm::toString(std::move(error)));
  };
  llvm::Expected<std::set<std::string>> needed = undefinedSymbols(object);
  if (!needed)
    return fail(needed.takeError());
  llvm::SmallVector<llvm::StringRef> objects = {object};
  std::string memory;
  for (const std::string &name : *needed) {
    if (name != "memcpy" && name != "memmove" && name != "memset")
      return module.emitError("expected kernels without undefined symbols, "
                              "found '")
             << name << "'";
  }
  if (!needed->empty()) {
    llvm::Expected<std::string> helpers = emitMemoryFunctions(target);
    if (!helpers)
      return fail(helpers.takeError());
    memory = std::move(*helpers);
    objects.push_back(memory);
  }
  llvm::Expected<std::string> image = linkObjects(objects);
  if (!image)
    return fail(image.takeError());
  return std::move(*image);
}

FailureOr<std::string> dragoman::compileKernels(ModuleOp module,
                                                const CpuTarget &target) {
  if (failed(lowerKernelsToLLVM(module)))
    return failure();
  FailureOr<std::string> object = emitObject(module, target);
  if (failed(object))
    return failure();
  return linkSharedObject(module, *object, target);
}
