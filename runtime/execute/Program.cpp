//===- Program.cpp - An entry, ready for quick evaluation -------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/execute/Program.h"

#include <algorithm>
#include <map>

using namespace dragoman;

int32_t Program::dimNumber(std::string_view name) const {
  auto it = std::find(table.dims.begin(), table.dims.end(), name);
  return it == table.dims.end() ? -1 : it - table.dims.begin();
}

uint64_t Program::bookkeepingBytes() const {
  return sizeof(int64_t) *
             (table.dims.size() + dimNames.size() + exprs.size() + mostDims) +
         sizeof(void *) * (slots.size() + mostSlots) + sizeof(ErrorBlock);
}

namespace {

/// Builds a Program from a table; the first failure stops it.
class Builder {
public:
  Builder(EntryTable table, const Manifest &manifest,
          const Program::FindKernel &findKernel)
      : manifest(manifest), findKernel(findKernel) {
    program.table = std::move(table);
    program.dimNames = program.table.dims;
    for (const Command &command : program.table.commands)
      if (command.kind == CommandKind::LoopBegin)
        program.dimNames.push_back(command.name);
  }

  Result<Program> build() {
    const EntryTable &table = program.table;
    DRAGOMAN_RETURN_IF_ERROR(shapes(table.inputs, program.inputs));
    DRAGOMAN_RETURN_IF_ERROR(shapes(table.outputs, program.outputs));
    for (size_t i = 0; i < table.slots.size(); ++i)
      if (Status status = slot(table.slots[i]); !status)
        return status.at("slot " + std::to_string(i));
    for (size_t i = 0; i < table.commands.size(); ++i)
      if (Status status = command(table.commands[i]); !status)
        return status.at("command " + std::to_string(i) + " '" +
                         table.commands[i].name + "'");
    DRAGOMAN_RETURN_IF_ERROR(expr(table.arenaBytes, program.arenaBytes));
    findWhatLoopsChange();
    return std::move(program);
  }

private:
  Status expr(const DimExpr &value, Program::Expr &out) {
    auto [it, inserted] =
        numbers.try_emplace(value.str(), program.exprs.size());
    out = it->second;
    if (!inserted)
      return Status::ok();
    Result<DimProgram> compiled = DimProgram::compile(value, program.dimNames);
    if (!compiled)
      return compiled.status();
    program.exprs.push_back(std::move(*compiled));
    program.loopOfExpr.push_back(innermostLoop(value));
    return Status::ok();
  }

  /// The last loop that begins of those that the expression names.
  uint32_t innermostLoop(const DimExpr &value) const {
    uint32_t loop = Program::noLoop;
    for (const std::string &name : value.names()) {
      size_t number =
          std::find(program.dimNames.begin(), program.dimNames.end(), name) -
          program.dimNames.begin();
      if (number < program.table.dims.size())
        continue;
      uint32_t own = number - program.table.dims.size();
      loop = loop == Program::noLoop ? own : std::max(loop, own);
    }
    return loop;
  }

  void findWhatLoopsChange() {
    for (const Program::Slot &slot : program.slots) {
      uint32_t offset = program.loopOfExpr[slot.offset],
               bytes = program.loopOfExpr[slot.bytes];
      program.loopOfSlot.push_back(offset == Program::noLoop ? bytes
                                   : bytes == Program::noLoop
                                       ? offset
                                       : std::max(offset, bytes));
    }
    for (size_t i = 0; i < program.exprs.size(); ++i)
      if (program.loopOfExpr[i] != Program::noLoop)
        program.loops[program.loopOfExpr[i]].exprs.push_back(i);
    for (size_t i = 0; i < program.slots.size(); ++i)
      if (program.loopOfSlot[i] != Program::noLoop)
        program.loops[program.loopOfSlot[i]].slots.push_back(i);
  }

  Status shapes(const std::vector<TensorDesc> &tensors,
                std::vector<Program::Shape> &out) {
    for (const TensorDesc &tensor : tensors) {
      Program::Shape shape;
      for (const DimExpr &extent : tensor.shape) {
        Program::Axis axis;
        axis.dim = program.dimNumber(extent.dimName());
        if (Status status = expr(extent, axis.extent); !status)
          return status.at("'" + tensor.name + "'");
        shape.push_back(axis);
      }
      out.push_back(std::move(shape));
    }
    return Status::ok();
  }

  static Status outside(const char *what, size_t index, size_t count) {
    return Status(StatusCode::InvalidData,
                  std::string("expected the number of a ") + what + " below " +
                      std::to_string(count) + ", found " +
                      std::to_string(index));
  }

  Status slot(const SlotDesc &desc) {
    if (desc.space == SlotSpace::State && desc.index >= manifest.states.size())
      return outside("state", desc.index, manifest.states.size());
    if (desc.space == SlotSpace::Weight &&
        desc.index >= manifest.weights.size())
      return outside("weight", desc.index, manifest.weights.size());
    auto known = std::lower_bound(program.states.begin(), program.states.end(),
                                  desc.index);
    if (desc.space == SlotSpace::State &&
        (known == program.states.end() || *known != desc.index))
      program.states.insert(known, desc.index);
    Program::Slot slot;
    DRAGOMAN_RETURN_IF_ERROR(expr(desc.offset, slot.offset));
    DRAGOMAN_RETURN_IF_ERROR(expr(desc.bytes, slot.bytes));
    program.slots.push_back(slot);
    return Status::ok();
  }

  Status command(const Command &command) {
    Program::Step step;
    for (const DimExpr &dim : command.dims) {
      Program::Expr number = 0;
      DRAGOMAN_RETURN_IF_ERROR(expr(dim, number));
      step.dims.push_back(number);
    }
    DRAGOMAN_RETURN_IF_ERROR(expr(command.tiles, step.tiles));
    if (command.kind == CommandKind::LoopBegin) {
      step.loop = program.loops.size();
      openLoops.push_back(step.loop);
      uint32_t dim = program.table.dims.size() + step.loop;
      program.loops.push_back({0, step.dims[0], dim, {}, {}});
    }
    if (command.kind == CommandKind::LoopEnd) {
      program.loops[openLoops.back()].end = program.steps.size();
      openLoops.pop_back();
    }
    if (command.kind == CommandKind::Dispatch) {
      if (command.kernel >= manifest.kernels.size())
        return outside("kernel", command.kernel, manifest.kernels.size());
      step.desc = &manifest.kernels[command.kernel];
      if (step.desc->dims.size() != step.dims.size())
        return Status(StatusCode::InvalidData,
                      "expected " + std::to_string(step.desc->dims.size()) +
                          " dimensions of kernel '" + step.desc->symbol +
                          "', found " + std::to_string(step.dims.size()));
      DRAGOMAN_RETURN_IF_ERROR(findKernel(*step.desc, step.kernel));
      program.scratchBytes = std::max(program.scratchBytes,
                                      (step.desc->scratchBytes + 63) / 64 * 64);
    }
    program.mostSlots = std::max(program.mostSlots, command.slots.size());
    program.mostDims = std::max(program.mostDims, step.dims.size());
    program.steps.push_back(std::move(step));
    return Status::ok();
  }

  const Manifest &manifest;
  const Program::FindKernel &findKernel;
  Program program;
  std::map<std::string, Program::Expr> numbers;
  std::vector<uint32_t> openLoops;
};

} // namespace

Result<Program> Program::build(EntryTable table, const Manifest &manifest,
                               const FindKernel &findKernel) {
  std::string name = table.name;
  Result<Program> program =
      Builder(std::move(table), manifest, findKernel).build();
  if (!program)
    return program.status().at("entry '" + name + "'");
  return program;
}
