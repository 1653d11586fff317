//===- CpuFeatures.cpp - Feature levels of x86-64 processors ----*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/device/cpu/CpuFeatures.h"

#include <algorithm>
#include <cpuid.h>
#include <cstdint>

using namespace dragoman;

const std::vector<CpuLevel> &dragoman::cpuLevels() {
  static const std::vector<CpuLevel> levels = [] {
    std::vector<CpuLevel> list;
    list.push_back(
        {"x86-64-v3",
         {"avx",  "avx2", "bmi",  "bmi2",   "cmov",   "crc32", "cx16",   "cx8",
          "f16c", "fma",  "fxsr", "lzcnt",  "mmx",    "movbe", "popcnt", "sahf",
          "sse",  "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"}});
    auto extend = [&](const char *name, std::vector<std::string> more) {
      CpuLevel level{name, list.back().features};
      level.features.insert(level.features.end(), more.begin(), more.end());
      std::sort(level.features.begin(), level.features.end());
      list.push_back(std::move(level));
    };
    extend("x86-64-v4",
           {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"});
    extend("x86-64-v4-vnni", {"avx512vnni"});
    return list;
  }();
  return levels;
}

const CpuLevel *dragoman::findCpuLevel(std::string_view name) {
  for (const CpuLevel &level : cpuLevels())
    if (level.name == name)
      return &level;
  return nullptr;
}

CpuFeatures CpuFeatures::of(const CpuLevel &level) {
  return CpuFeatures(
      std::set<std::string>(level.features.begin(), level.features.end()));
}

std::vector<std::string>
CpuFeatures::missing(const std::vector<std::string> &needed) const {
  std::vector<std::string> list;
  for (const std::string &feature : needed)
    if (!has(feature))
      list.push_back(feature);
  return list;
}

const CpuLevel *CpuFeatures::bestLevel() const {
  const CpuLevel *best = nullptr;
  for (const CpuLevel &level : cpuLevels())
    if (missing(level.features).empty())
      best = &level;
  return best;
}

std::string CpuFeatures::bestLevelName() const {
  const CpuLevel *best = bestLevel();
  return best ? best->name : "x86-64";
}

namespace {

enum Register { Eax, Ebx, Ecx, Edx };
/// State that the operating system must save for a feature to be usable.
enum class Needs { Nothing, Avx, Avx512 };

struct FeatureBit {
  const char *name;
  uint32_t leaf;
  Register reg;
  int bit;
  Needs needs;
};

// Intel SDM volume 2A, CPUID; leaf 7 is sub-leaf 0.
constexpr FeatureBit featureBits[] = {
    {"cx8", 1, Edx, 8, Needs::Nothing},
    {"cmov", 1, Edx, 15, Needs::Nothing},
    {"mmx", 1, Edx, 23, Needs::Nothing},
    {"fxsr", 1, Edx, 24, Needs::Nothing},
    {"sse", 1, Edx, 25, Needs::Nothing},
    {"sse2", 1, Edx, 26, Needs::Nothing},
    {"sse3", 1, Ecx, 0, Needs::Nothing},
    {"ssse3", 1, Ecx, 9, Needs::Nothing},
    {"fma", 1, Ecx, 12, Needs::Avx},
    {"cx16", 1, Ecx, 13, Needs::Nothing},
    {"sse4.1", 1, Ecx, 19, Needs::Nothing},
    {"sse4.2", 1, Ecx, 20, Needs::Nothing},
    {"crc32", 1, Ecx, 20, Needs::Nothing},
    {"movbe", 1, Ecx, 22, Needs::Nothing},
    {"popcnt", 1, Ecx, 23, Needs::Nothing},
    {"xsave", 1, Ecx, 27, Needs::Nothing}, // OSXSAVE: enabled by the system
    {"avx", 1, Ecx, 28, Needs::Avx},
    {"f16c", 1, Ecx, 29, Needs::Avx},
    {"bmi", 7, Ebx, 3, Needs::Nothing},
    {"avx2", 7, Ebx, 5, Needs::Avx},
    {"bmi2", 7, Ebx, 8, Needs::Nothing},
    {"avx512f", 7, Ebx, 16, Needs::Avx512},
    {"avx512dq", 7, Ebx, 17, Needs::Avx512},
    {"avx512cd", 7, Ebx, 28, Needs::Avx512},
    {"avx512bw", 7, Ebx, 30, Needs::Avx512},
    {"avx512vl", 7, Ebx, 31, Needs::Avx512},
    {"avx512vnni", 7, Ecx, 11, Needs::Avx512},
    {"sahf", 0x80000001, Ecx, 0, Needs::Nothing},
    {"lzcnt", 0x80000001, Ecx, 5, Needs::Nothing},
};

/// XCR0, the register states that the operating system saves; 0 without XSAVE.
uint64_t enabledStates() {
  uint32_t regs[4] = {};
  __get_cpuid(1, &regs[Eax], &regs[Ebx], &regs[Ecx], &regs[Edx]);
  if (!(regs[Ecx] >> 27 & 1))
    return 0;
  uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

CpuFeatures askProcessor() {
  uint64_t states = enabledStates();
  bool savesAvx = (states & 0x06) == 0x06;
  bool savesAvx512 = (states & 0xe6) == 0xe6;
  std::set<std::string> found;
  for (const FeatureBit &feature : featureBits) {
    if ((feature.needs == Needs::Avx && !savesAvx) ||
        (feature.needs == Needs::Avx512 && !savesAvx512))
      continue;
    uint32_t regs[4] = {};
    if (!__get_cpuid_count(feature.leaf, 0, &regs[Eax], &regs[Ebx], &regs[Ecx],
                           &regs[Edx]))
      continue;
    if (regs[feature.reg] >> feature.bit & 1)
      found.insert(feature.name);
  }
  return CpuFeatures(std::move(found));
}

} // namespace

const CpuFeatures &CpuFeatures::host() {
  static const CpuFeatures features = askProcessor();
  return features;
}
