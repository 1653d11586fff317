//===- Plan.cpp - The plan dialect: registration, formats, verifiers ------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/plan/Plan.h"

#include "runtime/artifact/DimExpr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/plan/PlanDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/plan/Plan.cpp.inc"

using namespace dragoman;
using namespace dragoman::plan;
using mlir::LogicalResult;

void PlanDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/plan/Plan.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/plan/PlanAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/plan/PlanTypes.cpp.inc"
      >();
}

/// Emits an error unless `text` parses as a dimension expression.
static LogicalResult verifyExpr(mlir::Operation *op, llvm::StringRef what,
                                llvm::StringRef text) {
  Result<DimExpr> expr = DimExpr::parse(text.str());
  if (!expr)
    return op->emitOpError() << what << ": " << expr.status().toString();
  return mlir::success();
}

/// Emits an error if an expression that parses holds a name not in `dims`.
static LogicalResult verifyNames(mlir::Operation *op, llvm::StringRef text,
                                 mlir::ArrayAttr dims) {
  Result<DimExpr> expr = DimExpr::parse(text.str());
  if (!expr)
    return mlir::success();
  for (const std::string &name : expr->names())
    if (!llvm::is_contained(dims,
                            mlir::StringAttr::get(op->getContext(), name)))
      return op->emitOpError("expected sizes in dims ")
             << dims << ", found '" << text << "'";
  return mlir::success();
}

/// `verifyNames` of the xf.dims of an argument or result.
static LogicalResult verifyShapeNames(mlir::Operation *op,
                                      mlir::DictionaryAttr attributes,
                                      mlir::ArrayAttr dims) {
  auto shape = attributes.getAs<mlir::ArrayAttr>("xf.dims");
  if (!shape)
    return mlir::success();
  for (auto text : shape.getAsRange<mlir::StringAttr>())
    if (failed(verifyNames(op, text.getValue(), dims)))
      return mlir::failure();
  return mlir::success();
}

/// True for the sources whose values forInitialValues makes.
static bool isInitialValue(mlir::Attribute source) {
  return llvm::isa_and_present<NormalAttr, UniformAttr, SplatAttr,
                               SinusoidAttr>(source);
}

LogicalResult WeightOp::verify() {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(getType());
  // weight_c1
  if (!type || !type.hasStaticShape())
    return emitOpError("expected a static tensor type, found ") << getType();
  // weight_c2
  if (static_cast<bool>(getSource()) == static_cast<bool>(getDerived()))
    return emitOpError("expected exactly one of source and derived");
  // weight_c3
  mlir::Attribute source = getSourceAttr();
  if (source && !llvm::isa<FileAttr>(source) && !isInitialValue(source))
    return emitOpError("expected source to be #plan.file, #plan.normal, "
                       "#plan.uniform, #plan.splat or #plan.sinusoid, found ")
           << source;
  // weight_c4
  if (auto file = llvm::dyn_cast_if_present<FileAttr>(getSourceAttr())) {
    int64_t bits = type.getElementTypeBitWidth();
    int64_t bytes = type.getNumElements() * ((bits + 7) / 8);
    if (file.getBytes() != bytes || file.getOffset() < 0)
      return emitOpError("expected a source of ")
             << bytes << " bytes, found " << file;
  }
  // weight_c5
  if (getLayout() != "rows" && getLayout() != "panel16")
    return emitOpError("expected layout rows or panel16, found ")
           << getLayout();
  if (getLayout() == "panel16" && type.getRank() != 2)
    return emitOpError("expected a matrix for layout panel16, found ") << type;
  // weight_c6
  if (isInitialValue(source) &&
      !llvm::isa<mlir::FloatType>(type.getElementType()))
    return emitOpError("expected floats for a source without file, found ")
           << type;
  if (llvm::isa_and_present<SinusoidAttr>(source) &&
      (type.getRank() != 2 || type.getDimSize(1) % 2 != 0))
    return emitOpError("expected a matrix of even columns for #plan.sinusoid, "
                       "found ")
           << type;
  // weight_c7
  if (getDecay() && !getTrainable())
    return emitOpError("expected decay of trainable weights only");
  return mlir::success();
}

LogicalResult LoadOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  auto weight =
      symbols.lookupNearestSymbolFrom<WeightOp>(*this, getWeightAttr());
  // load_c1
  if (!weight)
    return emitOpError("expected the name of a plan.weight, found ")
           << getWeightAttr();
  // load_c2
  if (weight.getType() != getResult().getType())
    return emitOpError("expected the weight's type ")
           << weight.getType() << ", found " << getResult().getType();
  return mlir::success();
}

LogicalResult StateOp::verify() {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(getType());
  // state_c1
  if (!type || static_cast<int64_t>(getDims().size()) != type.getRank())
    return emitOpError("expected one dimension expression per axis of ")
           << getType() << ", found " << getDims();
  for (auto text : getDims().getAsRange<mlir::StringAttr>())
    if (failed(verifyExpr(*this, "dims", text.getValue())))
      return mlir::failure();
  // state_c2
  if (getLayout() != "rows" && getLayout() != "panel16")
    return emitOpError("expected layout rows or panel16, found ")
           << getLayout();
  // state_c3
  for (int64_t axis : {static_cast<int64_t>(getRowAxis()),
                       static_cast<int64_t>(getAppendAxis())})
    if (axis < 0 || axis >= type.getRank())
      return emitOpError("expected row_axis and append_axis in 0..")
             << type.getRank() - 1 << ", found " << axis;
  return mlir::success();
}

template <typename OpT>
static void buildFunction(mlir::OpBuilder &builder, mlir::OperationState &state,
                          llvm::StringRef name, mlir::FunctionType type,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  state.addAttribute(mlir::SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(OpT::getFunctionTypeAttrName(state.name),
                     mlir::TypeAttr::get(type));
  state.attributes.append(attributes.begin(), attributes.end());
  mlir::Region *body = state.addRegion();
  auto *block = new mlir::Block();
  body->push_back(block);
  for (mlir::Type input : type.getInputs())
    block->addArgument(input, state.location);
}

template <typename OpT>
static mlir::ParseResult parseFunction(mlir::OpAsmParser &parser,
                                       mlir::OperationState &state) {
  auto buildType = [](mlir::Builder &builder, llvm::ArrayRef<mlir::Type> inputs,
                      llvm::ArrayRef<mlir::Type> results,
                      mlir::function_interface_impl::VariadicFlag,
                      std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return mlir::function_interface_impl::parseFunctionOp(
      parser, state, /*allowVariadic=*/false,
      OpT::getFunctionTypeAttrName(state.name), buildType,
      OpT::getArgAttrsAttrName(state.name),
      OpT::getResAttrsAttrName(state.name));
}

void KernelOp::build(mlir::OpBuilder &builder, mlir::OperationState &state,
                     llvm::StringRef name, mlir::FunctionType type,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  buildFunction<KernelOp>(builder, state, name, type, attributes);
}

mlir::ParseResult KernelOp::parse(mlir::OpAsmParser &parser,
                                  mlir::OperationState &state) {
  return parseFunction<KernelOp>(parser, state);
}

void KernelOp::print(mlir::OpAsmPrinter &printer) {
  mlir::function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() {
  if (getBody().empty())
    return emitOpError("expected a body");
  auto yield = llvm::dyn_cast<YieldOp>(getBody().front().getTerminator());
  // kernel_c1
  if (!yield || yield.getValues().getTypes() != getResultTypes())
    return emitOpError("expected to end in plan.yield of the result types ")
           << getFunctionType();
  // kernel_c2
  if (getTiles() && failed(verifyExpr(*this, "tiles", *getTiles())))
    return mlir::failure();
  // kernel_c3
  if (static_cast<int64_t>(getScratch()) < 0)
    return emitOpError("expected scratch of 0 or more bytes, found ")
           << getScratch();
  // kernel_c4
  if (getTiles() && failed(verifyNames(*this, *getTiles(), getDims())))
    return mlir::failure();
  for (mlir::ArrayAttr list : {getArgAttrsAttr(), getResAttrsAttr()}) {
    if (!list)
      continue;
    for (auto attributes : list.getAsRange<mlir::DictionaryAttr>())
      if (failed(verifyShapeNames(*this, attributes, getDims())))
        return mlir::failure();
  }
  // kernel_c5
  for (unsigned i = 0; i < getNumResults(); ++i) {
    auto alias = getResultAttrOfType<mlir::IntegerAttr>(i, "plan.alias");
    if (alias && (alias.getInt() < 0 || alias.getInt() >= getNumArguments() ||
                  getArgumentTypes()[alias.getInt()] != getResultTypes()[i]))
      return emitOpError("expected plan.alias of result ")
             << i << " to be the number of an argument of type "
             << getResultTypes()[i] << ", found " << alias.getInt();
  }
  return mlir::success();
}

void EntryOp::build(mlir::OpBuilder &builder, mlir::OperationState &state,
                    llvm::StringRef name, mlir::FunctionType type,
                    llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  buildFunction<EntryOp>(builder, state, name, type, attributes);
}

mlir::ParseResult EntryOp::parse(mlir::OpAsmParser &parser,
                                 mlir::OperationState &state) {
  return parseFunction<EntryOp>(parser, state);
}

void EntryOp::print(mlir::OpAsmPrinter &printer) {
  mlir::function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult EntryOp::verify() {
  if (getBody().empty())
    return emitOpError("expected a body");
  auto terminator = llvm::dyn_cast<ReturnOp>(getBody().front().getTerminator());
  // entry_c1
  if (!terminator)
    return emitOpError("expected to end in plan.return");
  // entry_c2
  if (!getArena() && terminator.getValues().getTypes() != getResultTypes())
    return emitOpError("expected plan.return of the result types ")
           << getFunctionType();
  // entry_c3
  if (getArena() && failed(verifyExpr(*this, "arena", *getArena())))
    return mlir::failure();
  // entry_c4
  llvm::SmallDenseSet<mlir::Attribute> states;
  for (unsigned i = 0; i < getNumArguments(); ++i)
    if (mlir::Attribute state = getArgAttr(i, "plan.state"))
      if (!states.insert(state).second)
        return emitOpError("expected one argument per state, found two for ")
               << state;
  return mlir::success();
}

LogicalResult
DispatchOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  // dispatch_c1
  if (!kernel)
    return emitOpError("expected the name of a plan.kernel, found ")
           << getKernelAttr();
  // dispatch_c2
  if (getDims().size() != kernel.getDims().size())
    return emitOpError("expected ")
           << kernel.getDims().size() << " dims as the kernel has, found "
           << getDims().size();
  for (auto text : getDims().getAsRange<mlir::StringAttr>())
    if (failed(verifyExpr(*this, "dims", text.getValue())))
      return mlir::failure();
  bool onSlots = llvm::all_of(getOperandTypes(), [](mlir::Type type) {
    return llvm::isa<SlotType>(type);
  });
  if (onSlots && getOperands_().size() > 0)
    return mlir::success();
  // dispatch_c3
  if (getOperands_().getTypes() != kernel.getArgumentTypes() ||
      getResults().getTypes() != kernel.getResultTypes())
    return emitOpError("expected the kernel's type ")
           << kernel.getFunctionType();
  return mlir::success();
}

LogicalResult SlotOp::verify() {
  // slot_c1
  static constexpr llvm::StringLiteral spaces[] = {"input", "output", "state",
                                                   "weight", "arena"};
  if (!llvm::is_contained(spaces, getSpace()))
    return emitOpError("expected space input, output, state, weight or arena, "
                       "found ")
           << getSpace();
  // slot_c2
  if ((getSpace() == "state" || getSpace() == "weight") !=
      static_cast<bool>(getSymbol()))
    return emitOpError("expected a symbol exactly for states and weights");
  if (failed(verifyExpr(*this, "offset", getOffset())))
    return mlir::failure();
  return verifyExpr(*this, "bytes", getBytes());
}

LogicalResult PartOp::verify() {
  // part_c1
  if (getWhole().getDefiningOp<PartOp>())
    return emitOpError("expected a part of a plan.slot, found one of a part");
  if (failed(verifyExpr(*this, "offset", getOffset())))
    return mlir::failure();
  return verifyExpr(*this, "bytes", getBytes());
}

llvm::SmallVector<mlir::Region *> LoopOp::getLoopRegions() {
  return {&getBody()};
}

std::optional<mlir::ResultRange> LoopOp::getLoopResults() {
  return getResults();
}

llvm::MutableArrayRef<mlir::BlockArgument> LoopOp::getRegionIterArgs() {
  if (getInits().empty())
    return {};
  return getBody().getArguments().drop_front();
}

std::optional<llvm::SmallVector<mlir::Value>> LoopOp::getLoopInductionVars() {
  if (getBody().getNumArguments() == 0)
    return std::nullopt;
  return llvm::SmallVector<mlir::Value>{getBody().getArgument(0)};
}

std::optional<llvm::MutableArrayRef<mlir::OpOperand>>
LoopOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}

LogicalResult LoopOp::verify() {
  if (failed(verifyExpr(*this, "trips", getTrips())))
    return mlir::failure();
  // loop_c1
  Result<DimExpr> name = DimExpr::parse(getDim().str());
  if (!name || name->dimName() != getDim())
    return emitOpError("expected the name of a dimension, found '")
           << getDim() << "'";
  // loop_c2
  for (mlir::Operation *parent = (*this)->getParentOp(); parent;
       parent = parent->getParentOp()) {
    auto entry = llvm::dyn_cast<EntryOp>(parent);
    auto loop = llvm::dyn_cast<LoopOp>(parent);
    if ((entry && llvm::is_contained(entry.getDims(), getDimAttr())) ||
        (loop && loop.getDimAttr() == getDimAttr()))
      return emitOpError("expected a dimension of its own, found '")
             << getDim() << "', which is known outside";
  }
  // loop_c3
  mlir::Block &body = getBody().front();
  llvm::SmallVector<mlir::Type> types;
  if (body.getNumArguments() != 0 || !getInits().empty())
    types.push_back(mlir::IndexType::get(getContext()));
  llvm::append_range(types, getInits().getTypes());
  if (body.getArgumentTypes() != llvm::ArrayRef<mlir::Type>(types))
    return emitOpError("expected a body of arguments ")
           << types << ", found " << body.getArgumentTypes();
  // loop_c4
  auto next = llvm::dyn_cast<NextOp>(body.getTerminator());
  if (!next || next.getValues().getTypes() != getInits().getTypes() ||
      getResults().getTypes() != getInits().getTypes())
    return emitOpError("expected results and plan.next of the inits' types");
  return mlir::success();
}
