// RUN: dragoman-opt %s --dsl-make-transformer="vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1 activation=gelu" -o %t.mlir
// RUN: dragoman-opt %t.mlir --verify-semantics --xf-decompose -o %t.decomposed.mlir
// RUN: dragoman-opt %t.mlir --verify-semantics --seed=7 --dragoman-compile=stop-after=lowering -o %t.compiled.mlir 2>&1 | FileCheck %s --allow-empty

// No pass of the pipeline changes a value of an entry, nor does decomposition.
// CHECK-NOT: error:
// CHECK-NOT: is not verified:
