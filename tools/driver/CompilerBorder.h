//===- CompilerBorder.h - How dragoman talks to its compiler ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler is a program of its own, `dragoman-compiler`, that `dragoman`
// runs only to compile: translating never maps LLVM, and a fault of the
// compiler ends neither a service nor its Status. (It cannot be a shared
// library: the static protobuf that keeps its symbols apart from
// libsentencepiece's is not position-independent.)
//
// Standard input: one JSON object.
//   "command"   "compile", or "export": writes a training artifact's model as a
//               folder of ONNX graphs
//   "input"     a folder, an .onnx file, an .mlir file, a .dgm artifact, or a
//               .json file that describes a model of the DSL; with training
//               options in it, the artifact can be trained
//   "output"    the artifact to write
//   "cpu"       array of feature levels; empty = the portable set
//   "stopAfter" a stage name: write that stage's IR to "output" ("-" = standard
//               output) instead
//   "dumpDir"   folder that gets the IR after every stage, or ""
//   "schedule"  file with schedule overrides, or ""
// For "export": "input" is the artifact, "output" the folder, and
//   "parameters" a file of P floats, or "": the initial ones
// Standard error: one message a line, a level digit, a space and the text:
//   0 progress, 1 warning, 2 error. A line without a level is from something
//   that failed below us, and counts as an error.
// Exit code: 0, 1 for bad data, 2 for a bad request. Nothing is left
// half-written.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRIVER_COMPILERBORDER_H
#define DRAGOMAN_TOOLS_DRIVER_COMPILERBORDER_H

/// The program's file name; looked up beside the calling program.
inline constexpr const char *dragomanCompilerProgram = "dragoman-compiler";

#endif // DRAGOMAN_TOOLS_DRIVER_COMPILERBORDER_H
