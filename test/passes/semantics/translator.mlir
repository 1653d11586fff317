// RUN: dragoman-import %models/multi30k-en-de/encoder_model.onnx > %t.mlir
// RUN: dragoman-opt %t.mlir --verify-semantics --model-folder=%models/multi30k-en-de --dragoman-compile=stop-after=tiling -o %t.out.mlir 2>&1 | FileCheck %s --allow-empty

// No pass changes a value of the bundled translator's encoder.
// CHECK-NOT: error:
// CHECK-NOT: is not verified
