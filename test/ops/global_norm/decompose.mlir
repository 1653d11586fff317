// RUN: dragoman-opt --verify-semantics --xf-decompose=ops=global_norm %S/spec.mlir | FileCheck %s
// RUN: dragoman-opt --xf-decompose=ops=global_norm --interpret %S/reference.mlir
// RUN: dragoman-opt --xf-decompose --interpret=wide %S/reference.mlir

// The decomposition holds simpler ops only and gives the values of the reference.

// CHECK-LABEL: func.func @example
// CHECK: linalg.generic
// CHECK-NOT: xf.
