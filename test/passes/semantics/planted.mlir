// RUN: dragoman-opt %s --dsl-make-transformer="vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1" -o %t.mlir
// RUN: not dragoman-opt %t.mlir --verify-semantics --canonicalize --test-break-raise-linear --cse -o %t.out 2>&1 | FileCheck %s --check-prefix=LINEAR
// RUN: not dragoman-opt %t.mlir --verify-semantics --test-break-raise-masks -o %t.out 2>&1 | FileCheck %s --check-prefix=MASKS
// RUN: not dragoman-opt %t.mlir --verify-semantics --xf-merge-siblings --test-break-merge-siblings -o %t.out 2>&1 | FileCheck %s --check-prefix=SIBLINGS
// RUN: not dragoman-opt %t.mlir --verify-semantics --xf-merge-siblings --plan-form-kernels --test-break-form-kernels -o %t.out 2>&1 | FileCheck %s --check-prefix=KERNELS

// A wrong rewrite is named: the pass, the entry and its value, and the first
// value inside. Passes before and behind it are not.

// LINEAR-NOT: error
// LINEAR: error: pass 'test-break-raise-linear' changed @encode (B=2 S=5): value 'last_hidden_state' element [0,0,0] is
// LINEAR: note: the first value that differs: xf.linear at {{.*}}.mlir:
// LINEAR-NOT: error

// MASKS: error: pass 'test-break-raise-masks' changed @encode (B=2 S=5): value 'last_hidden_state' element
// MASKS: note: the first value that differs: xf.attention at
// MASKS-NOT: error

// SIBLINGS-NOT: error
// SIBLINGS: error: pass 'test-break-merge-siblings' changed @encode (B=1 S=1): value 'last_hidden_state' element
// SIBLINGS-NOT: error

// KERNELS-NOT: error
// KERNELS: error: pass 'test-break-form-kernels' changed @encode (B=1 S=1): value 'last_hidden_state' element
// KERNELS-NOT: error
