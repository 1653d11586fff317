//===- Builder.h - Writing models in C++ -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A model is a module of weights, states and entries in the form that import
// produces. The builder names dimensions once, at inputs, and derives every
// other shape; a dimension text that is a number is static.
//
//   dsl::Model model(context);
//   dsl::Weight w = model.weight("proj.weight", {32, 16}, 0.25);
//   dsl::Entry main = model.entry("main");
//   dsl::Tensor x = main.input("x", main.f32(), {"B", "16"}, "normal(1.0)");
//   main.output("y", main.linear(x, {w}));
//   main.finish();
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_BUILDER_H
#define DRAGOMAN_FRONTENDS_DSL_BUILDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace dragoman::dsl {

using Tensor = mlir::Value;

/// A weight by name. Empty where a layer has none.
struct Weight {
  std::string name;
  mlir::RankedTensorType type;
  explicit operator bool() const { return !name.empty(); }
};

struct Linear {
  Weight w; ///< [N,K]
  Weight b; ///< [N], may be empty
};

struct Norm {
  Weight gain, bias; ///< [C]
};

/// Operands of attention behind q, k and v.
struct AttentionMask {
  Tensor keyCount; ///< [B], may be null
  Tensor offset;   ///< [B], position of the first query; may be null
  Tensor rows;     ///< [B,S], cache row of each key; may be null
  bool causal = false;
};

class Entry;

/// A module under construction.
class Model {
public:
  explicit Model(mlir::MLIRContext &context);

  /// Normally distributed values; every weight has its own seed.
  Weight weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                double stddev);
  /// 1 + normally distributed values, as gains of norms start.
  Weight gain(llvm::StringRef name, int64_t size, double stddev);
  Linear linear(llvm::StringRef name, int64_t outputs, int64_t inputs,
                bool bias);
  Norm norm(llvm::StringRef name, int64_t size);

  /// A cache [rows,heads,capacity,size] of f32 by names of its dimensions.
  void state(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> dims);
  /// The number of a new check site.
  int64_t site(llvm::StringRef node, llvm::StringRef message);

  Entry entry(llvm::StringRef name);

  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(module); }

private:
  friend class Entry;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::ImplicitLocOpBuilder b;
  uint64_t nextSeed = 1;
  int64_t nextSite = 0;
};

/// An entry under construction. Inputs and states may be declared at any time;
/// `finish` must be called last.
class Entry {
public:
  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }

  //===--- The border -----------------------------------------------------===//
  Tensor input(llvm::StringRef name, mlir::Type element,
               llvm::ArrayRef<llvm::StringRef> dims, llvm::StringRef domain);
  void output(llvm::StringRef name, Tensor value);
  /// The value that the state has when the entry starts.
  Tensor state(llvm::StringRef name);
  /// The value that the state has when the entry ends.
  void setState(llvm::StringRef name, Tensor value);
  void finish();

  //===--- Layers ---------------------------------------------------------===//
  Tensor load(const Weight &weight);
  Tensor linear(Tensor x, const Linear &layer,
                llvm::StringRef activation = "none");
  Tensor layerNorm(Tensor x, const Norm &norm, double eps);
  /// scale * table[ids]; ids outside the table fail at `site`.
  Tensor embedding(const Weight &table, Tensor ids, double scale, int64_t site);
  /// [B,T,H*D] as [B,T,H,D] and back.
  Tensor splitHeads(Tensor x, int64_t heads);
  Tensor mergeHeads(Tensor x);
  /// q [B,T,H,D]; k, v [B,S,H,D], or caches [R,H,Cap,D] if `cached`. Returns
  /// [B,T,H,D].
  Tensor attention(Tensor q, Tensor k, Tensor v, const AttentionMask &mask,
                   bool cached);
  /// fresh [N,T,H,D] goes to cache row row[n] (null: n) from position at[n]
  /// (null: 0) on.
  Tensor cacheAppend(Tensor cache, Tensor fresh, Tensor at, Tensor row,
                     int64_t site);

  //===--- Elementwise ----------------------------------------------------===//
  /// x + y; y may lack leading axes of x.
  Tensor add(Tensor x, Tensor y);
  /// 0, 1, .. along axis `axis` of x, as i64.
  Tensor iota(Tensor x, unsigned axis);
  /// start[r] + t, as [R,T] where T is the size of axis 1 of `like`.
  Tensor positions(Tensor start, Tensor like);
  /// x[r] + size of axis `axis` of `like`.
  Tensor addSize(Tensor x, Tensor like, unsigned axis);

  mlir::ImplicitLocOpBuilder &builder() { return b; }

private:
  friend class Model;
  Entry(Model &model, llvm::StringRef name);

  /// tensor.dim, or the number if it is static.
  mlir::OpFoldResult size(Tensor x, unsigned axis);
  using Body = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                              mlir::ValueRange)>;
  /// An elementwise op of the given sizes over `inputs` and their maps.
  Tensor generic(mlir::Type element, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                 mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                 Body body);
  mlir::BlockArgument argument(mlir::RankedTensorType type,
                               llvm::ArrayRef<mlir::NamedAttribute> attributes);

  mlir::func::FuncOp func;
  mlir::ImplicitLocOpBuilder b;
  llvm::SmallVector<mlir::Attribute> argumentAttributes;
  llvm::SmallVector<Tensor> results;
  llvm::SmallVector<mlir::Attribute> resultAttributes;
};

} // namespace dragoman::dsl

#endif // DRAGOMAN_FRONTENDS_DSL_BUILDER_H
