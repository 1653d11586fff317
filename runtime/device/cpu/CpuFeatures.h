//===- CpuFeatures.h - Feature levels of x86-64 processors ------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is compiled for a level from a closed list. A level is a name and the
// exact list of features that its code may use, named as LLVM names them.
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DEVICE_CPU_CPUFEATURES_H
#define DRAGOMAN_RUNTIME_DEVICE_CPU_CPUFEATURES_H

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

struct CpuLevel {
  std::string name;                  ///< "x86-64-v3"
  std::vector<std::string> features; ///< sorted
};

/// x86-64-v3, x86-64-v4, x86-64-v4-vnni: each holds the ones before it.
const std::vector<CpuLevel> &cpuLevels();
/// The level of that name, or null.
const CpuLevel *findCpuLevel(std::string_view name);

/// The features that a processor, and the operating system on it, offers.
class CpuFeatures {
public:
  CpuFeatures() = default;
  explicit CpuFeatures(std::set<std::string> features)
      : features(std::move(features)) {}

  /// Exactly the features of a level.
  static CpuFeatures of(const CpuLevel &level);
  /// This processor, by CPUID and XGETBV; asked once.
  static const CpuFeatures &host();

  bool has(const std::string &feature) const {
    return features.count(feature) != 0;
  }
  /// Those of `needed` that are not there, in order.
  std::vector<std::string>
  missing(const std::vector<std::string> &needed) const;
  /// The highest level of cpuLevels() that is there, or null.
  const CpuLevel *bestLevel() const;
  /// Its name, or "x86-64" if not even the lowest one is there.
  std::string bestLevelName() const;

private:
  std::set<std::string> features;
};

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DEVICE_CPU_CPUFEATURES_H
