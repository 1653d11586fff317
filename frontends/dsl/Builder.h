//===- Builder.h - Writing models in C++ -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A model is a module of weights, states and entries in the form that import
// produces. The builder names dimensions once, at inputs, and derives every
// other shape; a dimension text that is a number is static. Layers are made of
// a model, with their weights, and called like functions inside entries.
//
//   dsl::Model model(context);
//   dsl::Linear proj = model.linear("proj", 32, 16, /*bias=*/true);
//   dsl::Entry main = model.entry("main");
//   dsl::Tensor x = main.input("x", main.f32(), {"B", "16"}, "normal(1.0)");
//   main.output("y", proj(x) * 0.5);
//   main.finish();
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_FRONTENDS_DSL_BUILDER_H
#define DRAGOMAN_FRONTENDS_DSL_BUILDER_H

#include "frontends/dsl/Scalar.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <concepts>
#include <functional>
#include <optional>
#include <string>

namespace dragoman::dsl {

class Model;

/// A value of an entry. Operators are elementwise; the right side may lack
/// leading axes of the left.
class Tensor : public mlir::Value {
public:
  Tensor() = default;
  Tensor(mlir::Value value) : mlir::Value(value) {}
  /// The result of an op with one.
  template <typename Op>
    requires std::derived_from<Op, mlir::OpState>
  Tensor(Op op) : mlir::Value(op->getResult(0)) {}
};

Tensor operator+(Tensor x, Tensor y);
Tensor operator*(Tensor x, Tensor y);
Tensor operator*(Tensor x, double factor);

/// A weight by name. Empty where a layer has none.
struct Weight {
  std::string name;
  mlir::RankedTensorType type;
  explicit operator bool() const { return !name.empty(); }
};

/// The values that a weight starts with.
struct Init {
  enum Kind { Normal, Uniform, Constant, Sinusoid } kind;
  double number;        ///< stddev, bound, value or base
  int64_t zeroRow = -1; ///< of Normal: a row of zeros

  static Init normal(double stddev) { return {Normal, stddev}; }
  static Init constant(double value) { return {Constant, value}; }
  static Init sinusoid() { return {Sinusoid, 1e4}; }
  /// Uniform in +-sqrt(6 / (inputs + outputs)).
  static Init xavier(int64_t outputs, int64_t inputs);
};

/// How a weight takes part in training.
enum class Role { Frozen, Trained, Decayed };

/// y = activation(x . w^T + b)
struct Linear {
  Model *model = nullptr;
  Weight w; ///< [N,K]
  Weight b; ///< [N], may be empty
  Tensor operator()(Tensor x, llvm::StringRef activation = "none") const;
};

/// Layer norm over the last axis.
struct Norm {
  Model *model = nullptr;
  Weight gain, bias; ///< [C]
  double eps = 1e-5;
  Tensor operator()(Tensor x) const;
};

/// scale * table[ids]
struct Embedding {
  Model *model = nullptr;
  Weight table; ///< [V,C]
  double scale = 1.0;
  int64_t site = 0; ///< of ids outside the table
  Tensor operator()(Tensor ids) const;
};

/// The identity, but in entries with dropout: zero with probability p, else
/// x / (1 - p).
struct Dropout {
  Model *model = nullptr;
  double p = 0;
  int64_t site = 0; ///< its number among the places of the model
  Tensor operator()(Tensor x) const;
};

/// Operands of attention behind q, k and v.
struct AttentionMask {
  Tensor keyCount; ///< [B], may be null
  Tensor offset;   ///< [B], position of the first query; may be null
  Tensor rows;     ///< [B,S], cache row of each key; may be null
  Tensor visible;  ///< i1 [B|1,1,T|1,S]; may be null
  bool causal = false;
};

/// Where in attention a score or a probability stands: absolute positions.
struct ScorePlace {
  Scalar batch, head, query, key;
  llvm::ArrayRef<mlir::Value> captures; ///< the tensors to read from
};
using ScoreFunction = std::function<Scalar(Scalar, const ScorePlace &)>;

/// What attention does to scores before, and to probabilities behind the
/// softmax.
struct AttentionChange {
  ScoreFunction score, prob; ///< may be empty
  llvm::SmallVector<mlir::Value> captures = {};
  Dropout dropout = {}; ///< of the probabilities
};

/// Sums over the rows whose label is not ignored.
struct LossSums {
  Tensor loss, nll, correct; ///< f32 []
};

/// Cross entropy of a projection to the vocabulary.
struct LossOptions {
  double smoothing = 0;
  int64_t ignore = -100;                ///< label of rows without one
  llvm::SmallVector<int64_t> forbidden; ///< ids outside the softmax
  int64_t site = 0;                     ///< of labels outside the vocabulary
};

class Entry;

/// A module under construction.
class Model {
public:
  /// Weights of layers are random in every element, as tests and benchmarks
  /// need them; with `trained` they start as training starts and are marked as
  /// parameters. `seed` decides all random values.
  explicit Model(mlir::MLIRContext &context, bool trained = false,
                 uint64_t seed = 0);

  bool isTrained() const { return trained; }

  /// Normally distributed values; every weight has its own seed.
  Weight weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                double stddev);
  Weight weight(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                const Init &init, Role role);
  /// 1 + normally distributed values, as gains of norms start.
  Weight gain(llvm::StringRef name, int64_t size, double stddev);
  Linear linear(llvm::StringRef name, int64_t outputs, int64_t inputs,
                bool bias);
  Weight bias(llvm::StringRef name, int64_t size);
  Norm norm(llvm::StringRef name, int64_t size, double eps = 1e-5);
  Dropout dropout(double p);

  /// A cache [rows,heads,capacity,size] of f32 by names of its dimensions.
  void state(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> dims);
  /// The number of a new check site.
  int64_t site(llvm::StringRef node, llvm::StringRef message);

  Entry entry(llvm::StringRef name);

  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(module); }

  /// The entry under construction, for layers that are called.
  Entry &current() {
    assert(open && "layers are called inside an entry");
    return *open;
  }

private:
  friend class Entry;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::ImplicitLocOpBuilder b;
  Entry *open = nullptr;
  bool trained;
  uint64_t nextSeed;
  int64_t nextSite = 0;
  int64_t nextDropout = 0;
};

/// An entry under construction. Inputs and states may be declared at any time;
/// `finish` must be called last.
class Entry {
public:
  Entry(const Entry &) = delete;
  Entry &operator=(const Entry &) = delete;

  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }

  //===--- The border -----------------------------------------------------===//
  Tensor input(llvm::StringRef name, mlir::Type element,
               llvm::ArrayRef<llvm::StringRef> dims, llvm::StringRef domain);
  /// `dims` names the sizes where a reader of the module needs them.
  void output(llvm::StringRef name, Tensor value,
              llvm::ArrayRef<llvm::StringRef> dims = {});
  /// The value that the state has when the entry starts.
  Tensor state(llvm::StringRef name);
  /// The value that the state has when the entry ends.
  void setState(llvm::StringRef name, Tensor value);
  void finish();
  /// Turns dropout on, drawn by `seed` i64 [] and one key of each sentence,
  /// `rowKey` i64 [B].
  void enableDropout(Tensor seed, Tensor rowKey);

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
                   bool cached, const AttentionChange &change = {});
  /// The mean over heads of the weights that q [B,T,H,D] gives to k [B,S,H,D],
  /// of which keyCount [B] are visible, as [B,T,S].
  Tensor meanWeights(Tensor q, Tensor k, Tensor keyCount);
  /// fresh [N,T,H,D] goes to cache row row[n] (null: n) from position at[n]
  /// (null: 0) on.
  Tensor cacheAppend(Tensor cache, Tensor fresh, Tensor at, Tensor row,
                     int64_t site);

  Tensor dropout(Tensor x, const Dropout &layer);
  /// Rows of x [B,T,C] against labels [B,T] through the projection.
  LossSums crossEntropy(Tensor x, const Linear &projection, Tensor labels,
                        const LossOptions &options);

  //===--- Elementwise ----------------------------------------------------===//
  /// x + y; y may lack leading axes of x.
  Tensor add(Tensor x, Tensor y) { return x + y; }
  /// The sum of all elements of x [N], as [].
  Tensor sum(Tensor x);
  /// 0, 1, .. along axis `axis` of x, as i64.
  Tensor iota(Tensor x, unsigned axis);
  /// start[r] + t, as [R,T] where T is the size of axis 1 of `like`.
  Tensor positions(Tensor start, Tensor like);
  /// x[r] + size of axis `axis` of `like`.
  Tensor addSize(Tensor x, Tensor like, unsigned axis);

  //===--- Without caches -------------------------------------------------===//
  /// Keys that a padding mask i64 [B,S] leaves, as i1 [B,1,1,S].
  Tensor visibleKeys(Tensor mask);
  /// j <= i + P as i1 [1,1,T,P+T] for ids [B,T] behind a past [B,H,P,D] (null:
  /// none).
  Tensor causalMask(Tensor ids, Tensor past);
  /// P, P + 1, .. for ids [B,T] behind a past, as i64 [T].
  Tensor positionsBehind(Tensor ids, Tensor past);
  /// [B,T,H,D] as [B,H,T,D].
  Tensor headsFirst(Tensor x);
  /// past [B,H,P,D] and fresh [B,H,T,D] as [B,H,P+T,D].
  Tensor concatKeys(Tensor past, Tensor fresh);

  mlir::ImplicitLocOpBuilder &builder() { return b; }

private:
  friend class Model;
  Entry(Model &model, llvm::StringRef name);

  /// tensor.dim, or the number if it is static.
  mlir::OpFoldResult size(Tensor x, unsigned axis);
  /// Axis 2 of a past; 0 without one.
  mlir::Value pastSize(Tensor past);
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
  llvm::SmallVector<mlir::Value> results;
  llvm::SmallVector<mlir::Attribute> resultAttributes;
  Model &model;
  Tensor seed, rowKey; ///< of dropout; null where there is none
};

} // namespace dragoman::dsl

#endif // DRAGOMAN_FRONTENDS_DSL_BUILDER_H
