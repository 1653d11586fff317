//===- CompilerProcess.cpp - The compiler, run on demand ------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/dragoman/CompilerProcess.h"

#include "runtime/base/Hash.h"
#include "runtime/base/MappedFile.h"
#include "runtime/base/SystemError.h"
#include "tools/dragoman/Console.h"
#include "tools/dragoman/SubCommand.h"
#include "tools/driver/CompilerBorder.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dragoman;
namespace fs = std::filesystem;

/// The compiler beside this program.
static Result<std::string> compilerPath() {
  std::error_code failure;
  fs::path program = fs::read_symlink("/proc/self/exe", failure);
  fs::path path = program.parent_path() / dragomanCompilerProgram;
  if (failure || !fs::exists(path, failure))
    return Status(StatusCode::NotFound,
                  "expected the compiler beside the program, found none",
                  path.string());
  return path.string();
}

/// One line of the compiler's standard error.
static void showMessage(Console &console, const std::string &line) {
  bool level =
      line.size() > 1 && line[0] >= '0' && line[0] <= '2' && line[1] == ' ';
  std::string text = level ? line.substr(2) : line;
  if (level && line[0] == '0')
    console.info(text);
  else if (level && line[0] == '1')
    console.warning(text);
  else
    console.error(text);
}

namespace {
/// A pipe whose ends close with it.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      ends[0] = ends[1] = -1;
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  bool isOpen() const { return ends[0] >= 0; }
  void closeEnd(int end) {
    if (ends[end] >= 0)
      close(ends[end]);
    ends[end] = -1;
  }
};
} // namespace

/// Reads lines until the other end closes.
static void showMessages(Console &console, int descriptor) {
  std::string pending;
  char buffer[4096];
  for (;;) {
    ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    pending.append(buffer, count);
    for (size_t end; (end = pending.find('\n')) != std::string::npos;) {
      showMessage(console, pending.substr(0, end));
      pending.erase(0, end + 1);
    }
  }
  if (!pending.empty())
    showMessage(console, pending);
}

/// Hands `text` to the child; it may stop reading early.
static void writeAll(int descriptor, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t count = write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return;
    done += count;
  }
}

/// Runs the compiler on a request; its exit code, or an error if it could not
/// run or was killed.
static Result<int> runCompiler(const std::string &path,
                               const std::string &request, Console &console) {
  Pipe input, messages;
  if (!input.isOpen() || !messages.isOpen())
    return systemError("cannot make a pipe", path);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.ends[1], STDERR_FILENO);
  std::string name = path;
  char *arguments[] = {name.data(), nullptr};
  pid_t child = 0;
  int error =
      posix_spawn(&child, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    return systemError("cannot run the compiler", path);
  }
  input.closeEnd(0);
  messages.closeEnd(1);
  writeAll(input.ends[1], request);
  input.closeEnd(1);
  showMessages(console, messages.ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  return Status(StatusCode::Internal,
                "the compiler was ended by signal " +
                    std::to_string(WTERMSIG(status)),
                path);
}

/// Runs the compiler on a request and says why if it cannot be run.
static int request(const nlohmann::json &json, Console &console) {
  Result<std::string> path = compilerPath();
  if (!path)
    return reportFailure(console, path.status());
  Result<int> code = runCompiler(
      *path,
      json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
      console);
  return code ? *code : reportFailure(console, code.status());
}

int dragoman::exportGraphs(const std::string &artifact,
                           const std::string &parameters,
                           const std::string &folder, Console &console) {
  return request({{"command", "export"},
                  {"input", artifact},
                  {"parameters", parameters},
                  {"output", folder}},
                 console);
}

int dragoman::compile(const CompileRequest &request, Console &console) {
  nlohmann::json json = {
      {"command", "compile"},           {"input", request.input},
      {"output", request.output},       {"cpu", request.cpu},
      {"stopAfter", request.stopAfter}, {"dumpDir", request.dumpDir},
      {"schedule", request.schedule}};
  return ::request(json, console);
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
