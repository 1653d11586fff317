//===- KernelBuilder.cpp - Writing CPU kernels in C++ ---------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/lowering/cpu/KernelBuilder.h"

#include "runtime/artifact/KernelAbi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstddef>

using namespace mlir;
using namespace dragoman;

void dragoman::loadKernelDialects(MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                      math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                      vector::VectorDialect>();
}

//===----------------------------------------------------------------------===//
// The function and its arguments
//===----------------------------------------------------------------------===//

KernelBuilder::KernelBuilder(ModuleOp module, llvm::StringRef name,
                             const CpuTarget &target)
    : module(module), cpu(target), b(module.getLoc(), module.getContext()) {
  loadKernelDialects(*module.getContext());
  open(name, {i64(), i64()}, {i32()});
}

KernelBuilder::KernelBuilder(KernelBuilder &caller, llvm::StringRef suffix,
                             int64_t parameters)
    : module(caller.module), cpu(caller.cpu),
      b(module.getLoc(), module.getContext()) {
  open((caller.func.getName() + "." + suffix).str(),
       llvm::SmallVector<Type>(parameters, i64()), {});
  func.setPrivate();
}

/// Creates (%args, parameters..., %scratch) -> results at the module's end.
void KernelBuilder::open(llvm::StringRef name, TypeRange parameters,
                         TypeRange results) {
  b.setInsertionPointToEnd(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  llvm::SmallVector<Type> inputs = {pointer};
  llvm::append_range(inputs, parameters);
  inputs.push_back(pointer);
  func = func::FuncOp::create(b, name, b.getFunctionType(inputs, results));
  b.setInsertionPointToStart(func.addEntryBlock());
}

Value KernelBuilder::parameter(int64_t i) {
  return toIndex(func.getArgument(i + 1));
}

void KernelBuilder::call(KernelBuilder &helper, ValueRange parameters) {
  Values arguments = {func.getArgument(0)};
  for (Value parameter : parameters)
    arguments.push_back(fromIndex(parameter, i64()));
  arguments.push_back(scratchPointer());
  func::CallOp::create(b, helper.func, arguments);
}

Value KernelBuilder::scratchPointer() {
  return func.getArgument(func.getNumArguments() - 1);
}

void KernelBuilder::finish() {
  if (func.getNumResults() == 0)
    func::ReturnOp::create(b);
  else
    func::ReturnOp::create(b, ValueRange{constantInt(i32(), 0)});
}

VectorType KernelBuilder::vec(Type element, int64_t lanes) {
  return VectorType::get({lanes}, element);
}

/// Builds before the body, behind what was built there before.
Value KernelBuilder::prologue(llvm::function_ref<Value(OpBuilder &)> build) {
  OpBuilder::InsertionGuard guard(b);
  if (lastPrologue)
    b.setInsertionPointAfter(lastPrologue);
  else
    b.setInsertionPointToStart(&func.getBody().front());
  Value value = build(b);
  lastPrologue = value.getDefiningOp();
  return value;
}

Value dragoman::memrefFromPointer(OpBuilder &builder, Location loc,
                                  Value pointer, Type element) {
  MLIRContext *context = builder.getContext();
  auto i64 = builder.getI64Type();
  auto array = LLVM::LLVMArrayType::get(i64, 1);
  auto type = LLVM::LLVMStructType::getLiteral(
      context, {pointer.getType(), pointer.getType(), i64, array, array});
  auto number = [&](int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, i64,
                                    builder.getI64IntegerAttr(value));
  };
  Value descriptor = LLVM::PoisonOp::create(builder, loc, type);
  auto insert = [&](Value value, llvm::ArrayRef<int64_t> at) {
    descriptor =
        LLVM::InsertValueOp::create(builder, loc, descriptor, value, at);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(number(0), {2});
  insert(number(int64_t(1) << 48), {3, 0});
  insert(number(1), {4, 0});
  auto memref = MemRefType::get({ShapedType::kDynamic}, element);
  return UnrealizedConversionCastOp::create(builder, loc, memref, descriptor)
      .getResult(0);
}

Value KernelBuilder::pointerMemref(OpBuilder &builder, Value pointer,
                                   Type element) {
  return memrefFromPointer(builder, b.getLoc(), pointer, element);
}

/// The member of KernelArgs at byte `offset`.
static Value loadMember(OpBuilder &builder, Location loc, Value base,
                        int64_t offset, Type type) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address = base;
  if (offset)
    address = LLVM::GEPOp::create(
        builder, loc, pointer, builder.getI8Type(), base,
        llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
  return LLVM::LoadOp::create(builder, loc, type, address);
}

Value KernelBuilder::slot(int64_t i, Type element) {
  Value &cached = slots[{i, element}];
  if (cached)
    return cached;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (!slotPointers)
    slotPointers = prologue([&](OpBuilder &builder) {
      return loadMember(builder, b.getLoc(), func.getArgument(0),
                        offsetof(KernelArgs, slot), pointer);
    });
  Value address = prologue([&](OpBuilder &builder) {
    return loadMember(builder, b.getLoc(), slotPointers,
                      i * int64_t(sizeof(void *)), pointer);
  });
  return cached = prologue([&](OpBuilder &builder) {
           return pointerMemref(builder, address, element);
         });
}

Value KernelBuilder::dim(int64_t j) {
  Value &cached = dims[j];
  if (cached)
    return cached;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (!dimPointers)
    dimPointers = prologue([&](OpBuilder &builder) {
      return loadMember(builder, b.getLoc(), func.getArgument(0),
                        offsetof(KernelArgs, dim), pointer);
    });
  Value number = prologue([&](OpBuilder &builder) {
    return loadMember(builder, b.getLoc(), dimPointers,
                      j * int64_t(sizeof(int64_t)), i64());
  });
  return cached = prologue([&](OpBuilder &builder) {
           return arith::IndexCastOp::create(builder, b.getLoc(), indexType(),
                                             number)
               .getResult();
         });
}

Value KernelBuilder::scratch(int64_t byteOffset, Type element) {
  Value &cached = scratches[{byteOffset, element}];
  if (cached)
    return cached;
  return cached = prologue([&](OpBuilder &builder) {
           auto pointer = LLVM::LLVMPointerType::get(b.getContext());
           Value address = scratchPointer();
           if (byteOffset)
             address = LLVM::GEPOp::create(
                 builder, b.getLoc(), pointer, builder.getI8Type(), address,
                 llvm::ArrayRef<LLVM::GEPArg>{
                     static_cast<int32_t>(byteOffset)});
           return pointerMemref(builder, address, element);
         });
}

Value KernelBuilder::firstTile() { return toIndex(func.getArgument(1)); }
Value KernelBuilder::endTile() { return toIndex(func.getArgument(2)); }

void KernelBuilder::forTiles(llvm::function_ref<void(Value)> body) {
  forLoop(firstTile(), endTile(), 1, body);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value KernelBuilder::constant(TypedAttr attribute) {
  Value &cached = constants[attribute];
  if (!cached) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&func.getBody().front());
    cached = arith::ConstantOp::create(b, attribute);
  }
  return cached;
}

Value KernelBuilder::index(int64_t value) {
  return constant(b.getIndexAttr(value));
}

Value KernelBuilder::constantInt(Type type, int64_t value) {
  return constant(b.getIntegerAttr(type, value));
}

Value KernelBuilder::add(Value x, Value y) {
  auto p = getConstantIntValue(x), q = getConstantIntValue(y);
  if (p && q && x.getType().isIndex())
    return index(*p + *q);
  if (p && *p == 0)
    return y;
  if (q && *q == 0)
    return x;
  return arith::AddIOp::create(b, x, y);
}

Value KernelBuilder::sub(Value x, Value y) {
  auto p = getConstantIntValue(x), q = getConstantIntValue(y);
  if (p && q && x.getType().isIndex())
    return index(*p - *q);
  if (q && *q == 0)
    return x;
  return arith::SubIOp::create(b, x, y);
}

Value KernelBuilder::mul(Value x, Value y) {
  auto p = getConstantIntValue(x), q = getConstantIntValue(y);
  if (p && q && x.getType().isIndex())
    return index(*p * *q);
  if (p && *p == 1)
    return y;
  if (q && *q == 1)
    return x;
  if ((p && *p == 0) || (q && *q == 0))
    return p && *p == 0 ? x : y;
  return arith::MulIOp::create(b, x, y);
}

Value KernelBuilder::div(Value x, Value y) {
  auto p = getConstantIntValue(x), q = getConstantIntValue(y);
  if (p && q && *q > 0 && x.getType().isIndex())
    return index(*p / *q);
  if (q && *q == 1)
    return x;
  return arith::DivUIOp::create(b, x, y);
}

Value KernelBuilder::rem(Value x, Value y) {
  auto p = getConstantIntValue(x), q = getConstantIntValue(y);
  if (p && q && *q > 0 && x.getType().isIndex())
    return index(*p % *q);
  if (q && *q == 1 && x.getType().isIndex())
    return index(0);
  return arith::RemUIOp::create(b, x, y);
}

Value KernelBuilder::ceilDiv(Value x, Value y) {
  return div(add(x, sub(y, 1)), y);
}

Value KernelBuilder::min(Value x, Value y) {
  auto p = getConstantIntValue(x), q = getConstantIntValue(y);
  if (p && q && x.getType().isIndex())
    return index(std::min(*p, *q));
  return arith::MinSIOp::create(b, x, y);
}

Value KernelBuilder::max(Value x, Value y) {
  auto p = getConstantIntValue(x), q = getConstantIntValue(y);
  if (p && q && x.getType().isIndex())
    return index(std::max(*p, *q));
  return arith::MaxSIOp::create(b, x, y);
}

Value KernelBuilder::cmp(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, predicate, x, y);
}

Value KernelBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, condition, x, y);
}

Value KernelBuilder::toIndex(Value integer) {
  if (integer.getType().isIndex())
    return integer;
  return arith::IndexCastOp::create(b, indexType(), integer);
}

Value KernelBuilder::fromIndex(Value index, Type integer) {
  return arith::IndexCastOp::create(b, integer, index);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void KernelBuilder::forLoop(Value from, Value to, int64_t step,
                            llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, from, to, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

KernelBuilder::Values
KernelBuilder::forLoop(Value from, Value to, int64_t step, ValueRange init,
                       llvm::function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, from, to, index(step), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, next);
  return Values(loop.getResults());
}

void KernelBuilder::ifThen(Value condition, llvm::function_ref<void()> then) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
}

void KernelBuilder::ifElse(Value condition, llvm::function_ref<void()> then,
                           llvm::function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

KernelBuilder::Values
KernelBuilder::ifElse(Value condition, TypeRange types,
                      llvm::function_ref<Values()> then,
                      llvm::function_ref<Values()> otherwise) {
  auto branch = scf::IfOp::create(b, types, condition, true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  scf::YieldOp::create(b, otherwise());
  return Values(branch.getResults());
}

void KernelBuilder::indexSwitch(Value value, llvm::ArrayRef<int64_t> cases,
                                llvm::function_ref<void(int64_t)> body) {
  auto branch =
      scf::IndexSwitchOp::create(b, TypeRange{}, value, cases, cases.size());
  OpBuilder::InsertionGuard guard(b);
  for (auto [number, region] : llvm::zip(cases, branch.getCaseRegions())) {
    b.setInsertionPointToStart(&region.emplaceBlock());
    body(number);
    scf::YieldOp::create(b);
  }
  b.setInsertionPointToStart(&branch.getDefaultRegion().emplaceBlock());
  scf::YieldOp::create(b);
}

//===----------------------------------------------------------------------===//
// Error block
//===----------------------------------------------------------------------===//

/// func.func private @dg_record_error(%block, %site, %index, %value, %bound):
/// takes the block's lock, and replaces the record if it is empty (site -1) or
/// its (site, index) is greater.
func::FuncOp KernelBuilder::recordHelper() {
  constexpr llvm::StringRef name = "dg_record_error";
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto helper = func::FuncOp::create(
      b, name, b.getFunctionType({pointer, i64(), i64(), i64(), i64()}, {}));
  helper.setPrivate();
  Block *entry = helper.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto at = [&](int64_t i) -> Value {
    return arith::ConstantIndexOp::create(b, i);
  };
  auto int32 = [&](int32_t i) -> Value {
    return arith::ConstantIntOp::create(b, i, 32);
  };
  Value fields = memrefFromPointer(b, b.getLoc(), entry->getArgument(0), i64());
  Value lock = memrefFromPointer(b, b.getLoc(), entry->getArgument(0), i32());
  Value lockAt = at(offsetof(ErrorBlock, lock) / sizeof(int32_t));
  auto exchange = [&](int32_t next) -> Value {
    return memref::AtomicRMWOp::create(b, i32(), arith::AtomicRMWKind::assign,
                                       int32(next), lock, lockAt);
  };
  // 1. Take the lock.
  auto spin = scf::WhileOp::create(b, TypeRange{}, ValueRange{});
  b.createBlock(&spin.getBefore());
  Value busy =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, exchange(1), int32(0));
  scf::ConditionOp::create(b, busy, ValueRange{});
  b.createBlock(&spin.getAfter());
  scf::YieldOp::create(b);
  b.setInsertionPointAfter(spin);
  // 2. Compare (site, index); an empty record has the greatest unsigned site.
  auto field = [&](size_t offset) { return at(offset / sizeof(int64_t)); };
  Value siteAt = field(offsetof(ErrorBlock, site));
  Value indexAt = field(offsetof(ErrorBlock, index));
  Value site = memref::LoadOp::create(b, fields, siteAt);
  Value index = memref::LoadOp::create(b, fields, indexAt);
  Value newSite = entry->getArgument(1), newIndex = entry->getArgument(2);
  using Predicate = arith::CmpIPredicate;
  Value lower = arith::CmpIOp::create(b, Predicate::ult, newSite, site);
  Value same = arith::CmpIOp::create(b, Predicate::eq, newSite, site);
  Value before = arith::CmpIOp::create(b, Predicate::slt, newIndex, index);
  Value replace =
      arith::OrIOp::create(b, lower, arith::AndIOp::create(b, same, before));
  auto branch = scf::IfOp::create(b, replace, false);
  b.setInsertionPointToStart(branch.thenBlock());
  memref::StoreOp::create(b, newSite, fields, siteAt);
  memref::StoreOp::create(b, newIndex, fields, indexAt);
  memref::StoreOp::create(b, entry->getArgument(3), fields,
                          field(offsetof(ErrorBlock, value)));
  memref::StoreOp::create(b, entry->getArgument(4), fields,
                          field(offsetof(ErrorBlock, bound)));
  // 3. Free the lock.
  b.setInsertionPointAfter(branch);
  exchange(0);
  func::ReturnOp::create(b);
  return helper;
}

void KernelBuilder::recordError(int64_t site, Value index, Value value,
                                Value bound) {
  func::FuncOp helper = recordHelper();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (!errorPointer)
    errorPointer = prologue([&](OpBuilder &builder) {
      return loadMember(builder, b.getLoc(), func.getArgument(0),
                        offsetof(KernelArgs, error), pointer);
    });
  func::CallOp::create(
      b, helper,
      ValueRange{errorPointer, constantInt(i64(), site), index, value, bound});
}
