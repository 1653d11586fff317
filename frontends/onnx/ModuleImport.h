//===- ModuleImport.h - What all functions of one import share -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_ONNX_MODULEIMPORT_H
#define DRAGOMAN_FRONTENDS_ONNX_MODULEIMPORT_H

#include "frontends/onnx/OnnxModel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <unordered_map>

namespace dragoman::onnx {

/// Tensors of more bytes than this are weights; smaller ones stay constants.
/// The limit is low so that the biases of layers are arguments of a shared
/// kernel.
inline constexpr size_t constantLimit = 64;

/// The MLIR type of an element, or null where it is not supported. Integers are
/// signless.
mlir::Type elementType(mlir::MLIRContext *context, int32_t code);

/// The elements of a tensor as an attribute.
mlir::DenseElementsAttr denseElements(mlir::MLIRContext *context,
                                      const Tensor &tensor);

/// The module under construction, its weights and its check sites.
class ModuleImport {
public:
  explicit ModuleImport(mlir::MLIRContext &context);

  mlir::MLIRContext *context() { return module->getContext(); }
  mlir::ModuleOp get() { return *module; }
  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(module); }

  /// Loads a file and keeps it for as long as this object lives; failures are
  /// emitted as diagnostics of the context. `name` is the path as the module's
  /// weights and locations state it; empty: the file name.
  const Model *load(const std::string &path, std::string name = {});

  /// The symbol of the weight with these bytes. Equal bytes of one type are one
  /// weight, in whichever file they lie; the first name wins.
  std::string weight(const Model &model, const Tensor &tensor);

  /// Declares a check site and returns its number.
  int64_t site(llvm::StringRef node, llvm::StringRef message);

  /// A location that names a node of a file.
  mlir::Location locationOf(const Model &model, const Node &node);
  /// The name of a loaded model.
  llvm::StringRef fileName(const Model &model) const;

private:
  struct Known {
    std::string symbol;
    std::string_view bytes;
    mlir::Type type;
  };
  std::string uniqueSymbol(std::string name);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::unique_ptr<Model>> models;
  std::map<const Model *, std::string> names;
  std::unordered_multimap<std::string, Known> weights; // by checksum
  std::map<std::string, int> symbols;
  std::map<std::pair<std::string, std::string>, int64_t> sites;
};

} // namespace dragoman::onnx

#endif // DRAGOMAN_FRONTENDS_ONNX_MODULEIMPORT_H
