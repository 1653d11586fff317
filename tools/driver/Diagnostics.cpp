//===- Diagnostics.cpp - MLIR diagnostics as messages and Status ----------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/driver/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

using namespace dragoman;

/// "file:line:column" or a node's name; empty if unknown.
static std::string placeOf(mlir::Location location) {
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location))
    return file.getFilename().str() + ":" + std::to_string(file.getLine()) +
           ":" + std::to_string(file.getColumn());
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location)) {
    std::string outer = placeOf(name.getChildLoc());
    std::string text = name.getName().str();
    return outer.empty() ? text : outer + ": " + text;
  }
  return {};
}

DiagnosticSink::DiagnosticSink(mlir::MLIRContext &context,
                               const MessageSink &message)
    : handler(&context, [this, &message](mlir::Diagnostic &diagnostic) {
        std::string place = placeOf(diagnostic.getLocation());
        std::string text = diagnostic.str();
        Status status(StatusCode::InvalidData, text, place);
        switch (diagnostic.getSeverity()) {
        case mlir::DiagnosticSeverity::Error:
          if (first)
            first = status;
          message(MessageLevel::Error, status.toString());
          break;
        case mlir::DiagnosticSeverity::Warning:
          message(MessageLevel::Warning, status.toString());
          break;
        case mlir::DiagnosticSeverity::Note:
        case mlir::DiagnosticSeverity::Remark:
          message(MessageLevel::Progress, status.toString());
          break;
        }
        return mlir::success();
      }) {}

Status DiagnosticSink::failure(const std::string &otherwise) const {
  return first ? Status(StatusCode::Internal, otherwise) : first;
}
