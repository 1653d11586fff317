// RUN: dragoman-import %models/multi30k-en-de > %t.mlir
// RUN: dragoman-opt %t.mlir --verify-semantics --model-folder=%models/multi30k-en-de --dragoman-compile=stop-after=tiling -o %t.out 2>&1 | FileCheck %s --allow-empty
// RUN: FileCheck %s --check-prefix=ENTRIES < %t.out

// No pass changes a value of the bundled translator, be it of an imported graph
// or of the entries that the passes make of them.
// CHECK-NOT: error:
// CHECK-NOT: is not verified

// ENTRIES-DAG: plan.entry @encode
// ENTRIES-DAG: plan.entry @prepare
// ENTRIES-DAG: plan.entry @decode
// ENTRIES-DAG: plan.entry @select
