//===- Philox.h - The random draws of dropout -----------------------------===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_DIALECTS_XF_REFERENCE_PHILOX_H
#define DRAGOMAN_DIALECTS_XF_REFERENCE_PHILOX_H

#include <array>
#include <cstdint>

namespace dragoman::xf {

/// The counter-based generator Philox4x32-10 of Salmon, Moraes, Dror and Shaw
/// (2011): four words for a counter and a key.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key);

/// The draws of one dropout site (SPEC.md, "dropout").
class DropoutDraws {
public:
  DropoutDraws(int64_t seed, int64_t site, double p);

  /// True if the element is kept whose last index is `last` and whose other
  /// indices inside its row make the word `second`.
  bool keep(int64_t rowKey, int64_t second, int64_t last) const;
  /// What a kept element is multiplied with: 1 / (1 - p).
  double scale() const { return factor; }

private:
  std::array<uint32_t, 2> key;
  double threshold, factor;
};

} // namespace dragoman::xf

#endif // DRAGOMAN_DIALECTS_XF_REFERENCE_PHILOX_H
