//===- CompilerPlugin.h - The border of libdragoman-compiler.so -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `dragoman` program opens the compiler library only to compile, so
// translating never maps LLVM. The border is one C function with a request in
// JSON; nothing throws across it.
//
// Request object:
//   "command"   "compile" or "version"
//   "input"     a folder, an .onnx file, an .mlir file or a .dgm artifact
//   "output"    the artifact to write
//   "cpu"       array of feature levels; empty = the portable set
//   "stopAfter" a stage name: print that stage's IR to "output" instead
//   "dumpDir"   folder that gets the IR after every stage, or ""
//   "schedule"  file with schedule overrides, or ""
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRIVER_COMPILERPLUGIN_H
#define DRAGOMAN_TOOLS_DRIVER_COMPILERPLUGIN_H

extern "C" {

/// Takes one message of a run. `level` is 0 for progress ("import 0.12 s"), 1
/// for a warning, 2 for an error. `text` has no final newline.
typedef void (*DragomanMessageFunction)(void *user, int level, const char *text);

/// Runs a request. Returns 0, 1 for bad data or 2 for a bad request; failures
/// have been reported through `message`. Nothing is left half-written.
typedef int (*DragomanCompilerRunFunction)(const char *jsonRequest,
                                           DragomanMessageFunction message,
                                           void *user);

__attribute__((visibility("default"))) int
dragoman_compiler_run(const char *jsonRequest, DragomanMessageFunction message,
                      void *user);
}

/// The library's file name; looked up beside the program and in ../lib.
inline constexpr const char *dragomanCompilerLibrary = "libdragoman-compiler.so";

#endif // DRAGOMAN_TOOLS_DRIVER_COMPILERPLUGIN_H
