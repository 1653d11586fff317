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
  return sizeof(int64_t) * (table.dims.size() + exprs.size() + mostDims) +
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
    return std::move(program);
  }

private:
  Status expr(const DimExpr &value, Program::Expr &out) {
    auto [it, inserted] =
        numbers.try_emplace(value.str(), program.exprs.size());
    out = it->second;
    if (!inserted)
      return Status::ok();
    Result<DimProgram> compiled =
        DimProgram::compile(value, program.table.dims);
    if (!compiled)
      return compiled.status();
    program.exprs.push_back(std::move(*compiled));
    return Status::ok();
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
    program.usesStates |= desc.space == SlotSpace::State;
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
