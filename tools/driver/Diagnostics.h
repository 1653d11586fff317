//===- Diagnostics.h - MLIR diagnostics as messages and Status --*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_TOOLS_DRIVER_DIAGNOSTICS_H
#define DRAGOMAN_TOOLS_DRIVER_DIAGNOSTICS_H

#include "tools/driver/Compile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace dragoman {

/// While it lives, diagnostics of the context go to a message sink; the first
/// error is kept as a Status.
class DiagnosticSink {
public:
  DiagnosticSink(mlir::MLIRContext &context, const MessageSink &message);

  /// The first error, or `otherwise` if none was reported.
  Status failure(const std::string &otherwise) const;

private:
  Status first;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace dragoman

#endif // DRAGOMAN_TOOLS_DRIVER_DIAGNOSTICS_H
