//===- CodeObject.h - From kernels to a shared object -----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code of one CPU level is a small position-independent ELF shared object
// without any undefined symbol: it calls nothing but itself, so loading it
// cannot fail for want of a library. Equal modules give equal bytes.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_EMIT_CODEOBJECT_H
#define DRAGOMAN_COMPILER_EMIT_CODEOBJECT_H

#include "compiler/lowering/cpu/CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace dragoman {

/// The relocatable object of `module`, which is in the LLVM dialect. Failures
/// are diagnostics at the module's location.
mlir::FailureOr<std::string> emitObject(mlir::ModuleOp module,
                                        const CpuTarget &target);

/// Links relocatable objects into a shared object with `ld.lld`, a child
/// process. memcpy, memmove and memset are supplied where needed; any other
/// undefined symbol is an error that names it.
mlir::FailureOr<std::string> linkSharedObject(mlir::ModuleOp module,
                                              llvm::StringRef object,
                                              const CpuTarget &target);

/// Lowers the kernels of `module` in place, then emits and links them.
mlir::FailureOr<std::string> compileKernels(mlir::ModuleOp module,
                                            const CpuTarget &target);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_EMIT_CODEOBJECT_H
