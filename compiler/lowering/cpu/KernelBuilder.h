//===- KernelBuilder.h - Writing CPU kernels in C++ -------------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over mlir::OpBuilder for kernels of the form
//   func.func @k(%args: !llvm.ptr, %t0: i64, %t1: i64, %scratch: !llvm.ptr)
//       -> i32
// (runtime/artifact/KernelAbi.h) in the dialects that the CPU lowering accepts.
// Control flow takes C++ lambdas; index arithmetic folds constants; vectors
// have 16 lanes at every level.
//
// Two rules that callers keep, each worth a factor of two
// (docs/cpu-kernels.md): a tile starts from one base pointer (`view`) and is
// indexed with constants, and strides are compile-time numbers wherever the
// shape allows it.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_COMPILER_LOWERING_CPU_KERNELBUILDER_H
#define DRAGOMAN_COMPILER_LOWERING_CPU_KERNELBUILDER_H

#include "compiler/lowering/cpu/CpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dragoman {

/// Builds one function. Values of `index` type count elements; names of the
/// form `...F` work on floats or vectors of floats alike.
class KernelBuilder {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  /// Opens kernel `name` at the end of `module`. `finish` must be called.
  KernelBuilder(mlir::ModuleOp module, llvm::StringRef name,
                const CpuTarget &target);
  /// Opens a helper "NAME.SUFFIX" of the kernel that `caller` builds: it sees
  /// the same slots, dims and scratch, and `parameters` indices. Code in a
  /// helper keeps no register of its caller busy. `finish` must be called
  /// before `call`.
  KernelBuilder(KernelBuilder &caller, llvm::StringRef suffix,
                int64_t parameters);
  /// Index parameter `i` of a helper.
  Value parameter(int64_t i);
  /// Calls a finished helper of this kernel.
  void call(KernelBuilder &helper, mlir::ValueRange parameters);

  /// Returns 0 from the kernel. Nothing may be built afterwards.
  void finish();

  mlir::ImplicitLocOpBuilder &op() { return b; }
  const CpuTarget &target() const { return cpu; }
  mlir::func::FuncOp function() { return func; }

  //===--- Types ----------------------------------------------------------===//
  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type i32() { return b.getI32Type(); }
  mlir::Type i64() { return b.getI64Type(); }
  mlir::Type indexType() { return b.getIndexType(); }
  mlir::VectorType vec(mlir::Type element, int64_t lanes = kernelLanes);
  mlir::VectorType vecF() { return vec(f32()); }

  //===--- The kernel's arguments -----------------------------------------===//
  /// Tensor `i` of the kernel as memref<?xelement> from its first element.
  Value slot(int64_t i, mlir::Type element);
  /// Named dimension `j`, as index.
  Value dim(int64_t j);
  /// The thread's scratch from byte `offset` on, as memref<?xelement>.
  Value scratch(int64_t byteOffset, mlir::Type element);
  Value firstTile();
  Value endTile();
  /// Calls `body` for each tile of this call's range.
  void forTiles(llvm::function_ref<void(Value tile)> body);

  //===--- Index arithmetic (non-negative values) -------------------------===//
  Value index(int64_t value);
  Value add(Value x, Value y);
  Value add(Value x, int64_t y) { return add(x, index(y)); }
  Value sub(Value x, Value y);
  Value sub(Value x, int64_t y) { return sub(x, index(y)); }
  Value mul(Value x, Value y);
  Value mul(Value x, int64_t y) { return mul(x, index(y)); }
  Value div(Value x, Value y);
  Value div(Value x, int64_t y) { return div(x, index(y)); }
  Value rem(Value x, Value y);
  Value rem(Value x, int64_t y) { return rem(x, index(y)); }
  Value ceilDiv(Value x, Value y);
  Value ceilDiv(Value x, int64_t y) { return ceilDiv(x, index(y)); }
  Value min(Value x, Value y);
  Value min(Value x, int64_t y) { return min(x, index(y)); }
  Value max(Value x, Value y);
  Value max(Value x, int64_t y) { return max(x, index(y)); }
  /// Signed comparison of integers, indices or vectors of them.
  Value cmp(mlir::arith::CmpIPredicate predicate, Value x, Value y);
  Value less(Value x, Value y) {
    return cmp(mlir::arith::CmpIPredicate::slt, x, y);
  }
  Value select(Value condition, Value x, Value y);
  /// Between index and integer types, sign extended.
  Value toIndex(Value integer);
  Value fromIndex(Value index, mlir::Type integer);
  Value constantInt(mlir::Type type, int64_t value);

  //===--- Control flow ---------------------------------------------------===//
  void forLoop(Value from, Value to, int64_t step,
               llvm::function_ref<void(Value)> body);
  /// A loop that carries values; `body` returns the next ones.
  Values forLoop(Value from, Value to, int64_t step, mlir::ValueRange init,
                 llvm::function_ref<Values(Value, mlir::ValueRange)> body);
  void ifThen(Value condition, llvm::function_ref<void()> then);
  void ifElse(Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);
  /// Both branches return values of the same types.
  Values ifElse(Value condition, mlir::TypeRange types,
                llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  /// Runs `body(c)` for the case c equal to `value`, else nothing.
  void indexSwitch(Value value, llvm::ArrayRef<int64_t> cases,
                   llvm::function_ref<void(int64_t)> body);

  //===--- Memory ---------------------------------------------------------===//
  /// A window of `base` (rank 1, from `slot` or `scratch`) that starts at
  /// element `offset`. kDynamic sizes and strides are not allowed: pass Values.
  Value view(Value base, Value offset, llvm::ArrayRef<mlir::OpFoldResult> sizes,
             llvm::ArrayRef<mlir::OpFoldResult> strides);
  Value view(Value base, Value offset, llvm::ArrayRef<int64_t> sizes,
             llvm::ArrayRef<int64_t> strides);
  Value load(Value memref, mlir::ValueRange at);
  void store(Value value, Value memref, mlir::ValueRange at);
  /// 16 elements along the innermost axis, without alignment.
  Value loadV(Value memref, mlir::ValueRange at, int64_t lanes = kernelLanes);
  void storeV(Value vector, Value memref, mlir::ValueRange at);
  /// The lanes of `mask`; the others read as zero and touch no memory.
  Value loadMasked(Value memref, mlir::ValueRange at, Value mask);
  void storeMasked(Value vector, Value memref, mlir::ValueRange at, Value mask);
  /// Lanes 0..count-1 are set.
  Value tailMask(Value count);
  /// Hints a read; `locality` 3 is the first-level cache, 2 the second.
  void prefetch(Value memref, mlir::ValueRange at, unsigned locality);

  //===--- Floats and vectors of floats -----------------------------------===//
  Value constantF(double value);
  /// A vector constant of equal lanes, float or integer by `element`.
  Value splat(double value) { return splat(f32(), value); }
  Value splat(mlir::Type element, double value);
  Value splatInt(mlir::Type element, int64_t value);
  /// 0, 1, .. 15 in integer lanes.
  Value iota(mlir::Type element);
  Value broadcast(Value scalar, int64_t lanes = kernelLanes);
  Value addF(Value x, Value y);
  Value subF(Value x, Value y);
  Value mulF(Value x, Value y);
  Value divF(Value x, Value y);
  Value fma(Value x, Value y, Value z);
  Value sqrtF(Value x);
  Value cmpF(mlir::arith::CmpFPredicate predicate, Value x, Value y);
  /// x > y ? x : y, one instruction. A NaN in y stays; one in x is dropped.
  Value maxF(Value x, Value y);
  Value extract(Value vector, int64_t lane);
  Value insert(Value scalar, Value vector, int64_t lane);
  Value shuffle(Value x, Value y, llvm::ArrayRef<int64_t> lanes);
  Value bitcast(Value vector, mlir::Type type);

  /// Sum of the 16 lanes by the one fixed tree: lane i + lane i+8, then +4, +2,
  /// +1. Every sum of the CPU kernels ends here.
  Value reduceSum(Value vector);
  /// Maximum of the lanes by compare and select (see maxF).
  Value reduceMax(Value vector);
  /// Sixteen rows of a 16x16 block to its columns.
  Values transpose16(mlir::ValueRange rows);

  //===--- Error block ----------------------------------------------------===//
  /// Records a failed check unless the block already holds a lower (site,
  /// index) pair. All values are i64; the kernel goes on.
  void recordError(int64_t site, Value index, Value value, Value bound);

private:
  void open(llvm::StringRef name, mlir::TypeRange parameters,
            mlir::TypeRange results);
  Value scratchPointer();
  Value prologue(llvm::function_ref<Value(mlir::OpBuilder &)> build);
  Value pointerMemref(mlir::OpBuilder &builder, Value pointer,
                      mlir::Type element);
  /// The constant of that attribute, at the start of the function.
  Value constant(mlir::TypedAttr attribute);
  mlir::func::FuncOp recordHelper();

  mlir::ModuleOp module;
  CpuTarget cpu;
  mlir::ImplicitLocOpBuilder b;
  mlir::func::FuncOp func;
  mlir::Operation *lastPrologue = nullptr;
  Value slotPointers, dimPointers, errorPointer;
  llvm::DenseMap<std::pair<int64_t, mlir::Type>, Value> slots;
  llvm::DenseMap<std::pair<int64_t, mlir::Type>, Value> scratches;
  llvm::DenseMap<int64_t, Value> dims;
  llvm::DenseMap<mlir::Attribute, Value> constants;
};

/// The memref<?xelement> over the memory at `pointer`, by the descriptor that
/// the memref lowering expects.
mlir::Value memrefFromPointer(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value pointer, mlir::Type element);

/// Loads the dialects that kernels are written in.
void loadKernelDialects(mlir::MLIRContext &context);

} // namespace dragoman

#endif // DRAGOMAN_COMPILER_LOWERING_CPU_KERNELBUILDER_H
