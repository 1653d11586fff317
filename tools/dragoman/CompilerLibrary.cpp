//===- CompilerLibrary.cpp - The compiler, opened on demand ---------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/CompilerLibrary.h"

#include "runtime/base/Hash.h"
#include "runtime/base/MappedFile.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/SubCommand.h"
#include "tools/driver/CompilerPlugin.h"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace dragoman;
namespace fs = std::filesystem;

/// Where the library may be: beside the program, in ../lib, or where the
/// system's loader looks.
static std::vector<std::string> libraryPaths() {
  std::error_code failure;
  fs::path program = fs::read_symlink("/proc/self/exe", failure).parent_path();
  std::vector<std::string> paths;
  if (!failure)
    for (const char *folder : {"", "../lib"}) {
      fs::path path = program / folder / dragomanCompilerLibrary;
      if (fs::exists(path, failure))
        paths.push_back(path.string());
    }
  paths.push_back(dragomanCompilerLibrary);
  return paths;
}

static Result<DragomanCompilerRunFunction> openCompiler() {
  void *library = nullptr;
  std::string reason;
  for (const std::string &path : libraryPaths()) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library)
      break;
    reason = dlerror();
  }
  if (!library)
    return Status(StatusCode::NotFound, "cannot open the compiler: " + reason,
                  dragomanCompilerLibrary);
  void *symbol = dlsym(library, "dragoman_compiler_run");
  if (!symbol)
    return Status(StatusCode::InvalidData,
                  "expected the function dragoman_compiler_run, found none",
                  dragomanCompilerLibrary);
  return reinterpret_cast<DragomanCompilerRunFunction>(symbol);
}

static void onMessage(void *user, int level, const char *text) {
  Console &console = *static_cast<Console *>(user);
  if (level == 0)
    console.info(text);
  else if (level == 1)
    console.warning(text);
  else
    console.error(text);
}

int dragoman::compile(const CompileRequest &request, Console &console) {
  static const Result<DragomanCompilerRunFunction> compiler = openCompiler();
  if (!compiler)
    return reportFailure(console, compiler.status());
  nlohmann::json json = {
      {"command", "compile"},           {"input", request.input},
      {"output", request.output},       {"cpu", request.cpu},
      {"stopAfter", request.stopAfter}, {"dumpDir", request.dumpDir},
      {"schedule", request.schedule}};
  std::string text =
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return (*compiler)(text.c_str(), onMessage, &console);
}

/// Hash of the files that a compilation of `path` may read, in order of name.
static Result<std::string> contentHash(const fs::path &path) {
  std::vector<fs::path> files;
  std::error_code failure;
  if (fs::is_directory(path, failure)) {
    for (const char *folder : {"", "onnx"})
      for (const fs::directory_entry &entry :
           fs::directory_iterator(path / folder, failure)) {
        std::string extension = entry.path().extension();
        bool read = extension == ".onnx" || extension == ".onnx_data" ||
                    extension == ".json" || extension == ".spm" ||
                    extension == ".model";
        if (read && entry.is_regular_file(failure))
          files.push_back(entry.path());
      }
    std::sort(files.begin(), files.end());
  } else {
    files.push_back(path);
  }
  Hasher hasher;
  for (const fs::path &file : files) {
    Result<MappedFile> mapped = MappedFile::open(file.string());
    if (!mapped)
      return mapped.status();
    std::string_view bytes = mapped->bytes();
    std::string header = fs::relative(file, path, failure).string() + '\n' +
                         std::to_string(bytes.size()) + '\n';
    hasher.update(header.data(), header.size());
    hasher.update(bytes.data(), bytes.size());
  }
  return hasher.digest();
}

Result<std::string> dragoman::compiledPath(const std::string &path,
                                           const std::string &cacheFolder,
                                           Console &console) {
  std::error_code failure;
  fs::path input = path;
  std::string extension = input.extension();
  if (!fs::is_directory(input, failure) && extension != ".onnx" &&
      extension != ".mlir")
    return path;
  if (!fs::exists(input, failure))
    return Status(StatusCode::NotFound, "no such file or folder", path);
  if (cacheFolder.empty())
    return Status(StatusCode::NotFound,
                  "there is no cache folder (HOME is not set); compile it "
                  "first: dragoman compile " +
                      path,
                  path);
  Result<std::string> hash = contentHash(input);
  if (!hash)
    return hash.status();
  std::string stem = fs::weakly_canonical(input, failure).stem().string();
  fs::path output = fs::path(cacheFolder) /
                    (stem + "-" + DRAGOMAN_VERSION + "-" + *hash + ".dgm");
  if (fs::exists(output, failure))
    return output.string();
  fs::create_directories(cacheFolder, failure);
  if (failure)
    return Status(StatusCode::NotFound,
                  "cannot make the cache folder: " + failure.message(),
                  cacheFolder);
  console.note("compiling " + path + " into " + output.string());
  CompileRequest request;
  request.input = path;
  request.output = output.string();
  // The library has already said what went wrong.
  if (int code = compile(request, console); code != exitOk)
    return Status(code == exitUsage ? StatusCode::InvalidArgument
                                    : StatusCode::InvalidData,
                  "cannot be compiled", path);
  return output.string();
}
