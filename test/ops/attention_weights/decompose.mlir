// RUN: dragoman-opt --verify-semantics --xf-decompose %S/spec.mlir | FileCheck %s
// RUN: dragoman-opt --xf-decompose --interpret %S/reference.mlir
// RUN: dragoman-opt --xf-decompose=ops=attention_weights --interpret=wide %S/reference.mlir

// The decomposition holds simpler ops only and gives the values of the reference.

// CHECK-LABEL: func.func @example
// CHECK: linalg.generic
// CHECK-NOT: xf.attention
