//===- ProtobufTest.cpp - ONNX and SentencePiece in one process -*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libsentencepiece exports its own copy of the protobuf runtime. Ours is linked
// statically and hidden; if the two met, one of these loads would crash.
//
//===----------------------------------------------------------------------===//

#include "frontends/onnx/OnnxModel.h"
#include "runtime/base/MappedFile.h"
#include "runtime/text/SentencePiece.h"

#include <gtest/gtest.h>

using namespace dragoman;

static const std::string folder = DRAGOMAN_SOURCE_DIR "/models/multi30k-en-de/";

static void loadModel() {
  auto model = onnx::Model::load(folder + "encoder_model.onnx");
  ASSERT_TRUE(model) << model.status().toString();
  EXPECT_EQ((*model)->opset(), 14);
}

static void loadPieces() {
  Result<std::string> file = readFile(folder + "source.spm");
  ASSERT_TRUE(file) << file.status().toString();
  auto pieces = SentencePiece::load(*file);
  ASSERT_TRUE(pieces) << pieces.status().toString();
  auto line = (*pieces)->encode("Two men are cooking.");
  ASSERT_TRUE(line) << line.status().toString();
  EXPECT_GT(line->size(), 3u);
}

TEST(Protobuf, bothCopiesLiveInOneProcess) {
  loadModel();
  loadPieces();
  loadModel();
}
