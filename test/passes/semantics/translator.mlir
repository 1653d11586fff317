// RUN: dragoman-import %models/multi30k-en-de/encoder_model.onnx > %t.encoder.mlir
// RUN: dragoman-opt %t.encoder.mlir --verify-semantics --model-folder=%models/multi30k-en-de --dragoman-compile=stop-after=tiling -o %t.out 2>&1 | FileCheck %s --allow-empty
// RUN: dragoman-import %models/multi30k-en-de/decoder_model.onnx > %t.decoder.mlir
// RUN: dragoman-opt %t.decoder.mlir --verify-semantics --model-folder=%models/multi30k-en-de --dragoman-compile=stop-after=tiling -o %t.out 2>&1 | FileCheck %s --allow-empty
// RUN: dragoman-import %models/multi30k-en-de/decoder_with_past_model.onnx > %t.past.mlir
// RUN: dragoman-opt %t.past.mlir --verify-semantics --model-folder=%models/multi30k-en-de --dragoman-compile=stop-after=tiling -o %t.out 2>&1 | FileCheck %s --allow-empty

// No pass changes a value of the bundled translator's graphs.
// CHECK-NOT: error:
// CHECK-NOT: is not verified
