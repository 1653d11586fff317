//===- ManifestSettings.h - Settings that an artifact carries ---*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAGOMAN_RUNTIME_DECODE_MANIFESTSETTINGS_H
#define DRAGOMAN_RUNTIME_DECODE_MANIFESTSETTINGS_H

#include "runtime/artifact/Manifest.h"
#include "runtime/decode/ResolveSettings.h"

namespace dragoman {

/// The manifest's settings by origin, strongest first: generation_config.json,
/// config.json, then any other origin. Values that are no JSON are refused.
Result<std::vector<SettingLayer>> settingLayers(const Manifest &manifest);

/// What a translator can take: columns of `decode`'s logits, and
/// `max_position_embeddings` of the settings (unbounded without it).
Result<ModelLimits> modelLimits(const Manifest &manifest,
                                const EntryTable &decode);

} // namespace dragoman

#endif // DRAGOMAN_RUNTIME_DECODE_MANIFESTSETTINGS_H
