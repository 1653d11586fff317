//===- StackTraffic.cpp - Vector spills of emitted code -------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compiler/emit/StackTraffic.h"

#include "llvm-c/Disassembler.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/TargetSelect.h"

using namespace dragoman;

/// Counts in the machine code of one function.
static int64_t countIn(LLVMDisasmContextRef disassembler,
                       llvm::ArrayRef<uint8_t> code) {
  int64_t count = 0;
  char text[256];
  while (!code.empty()) {
    size_t length =
        LLVMDisasmInstruction(disassembler, const_cast<uint8_t *>(code.data()),
                              code.size(), 0, text, sizeof(text));
    if (length == 0)
      length = 1;
    llvm::StringRef line(text);
    bool vector =
        line.contains("%xmm") || line.contains("%ymm") || line.contains("%zmm");
    // Without a frame pointer %rbp is a register like others.
    if (vector && line.contains("(%rsp"))
      ++count;
    code = code.drop_front(length);
  }
  return count;
}

std::map<std::string, int64_t>
dragoman::countVectorStackTraffic(llvm::StringRef object) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  std::map<std::string, int64_t> counts;
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(object, "kernels.o"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return counts;
  }
  LLVMDisasmContextRef disassembler =
      LLVMCreateDisasmCPUFeatures("x86_64-unknown-linux-gnu", "x86-64-v4", "",
                                  nullptr, 0, nullptr, nullptr);
  for (const llvm::object::ELFSymbolRef symbol : (*file)->symbols()) {
    auto type = symbol.getType();
    auto section = symbol.getSection();
    auto name = symbol.getName();
    auto address = symbol.getAddress();
    if (!type || !section || !name || !address ||
        *type != llvm::object::SymbolRef::ST_Function)
      continue;
    auto contents = (*section)->getContents();
    if (!contents)
      continue;
    llvm::StringRef bytes = contents->substr(*address, symbol.getSize());
    counts[name->str()] =
        countIn(disassembler,
                llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()),
                               bytes.size()));
  }
  LLVMDisasmDispose(disassembler);
  return counts;
}
