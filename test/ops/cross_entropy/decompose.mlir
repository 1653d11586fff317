// RUN: dragoman-opt --verify-semantics --xf-decompose=ops=cross_entropy %S/spec.mlir | FileCheck %s
// RUN: dragoman-opt --xf-decompose=ops=cross_entropy --interpret %S/reference.mlir
// RUN: dragoman-opt --xf-decompose --interpret=wide %S/reference.mlir

// The decomposition gives the values of the reference: the losses of rows, and sums
// of them.

// CHECK-LABEL: func.func @example
// CHECK: xf.cross_entropy_grad
// CHECK: linalg.generic
// CHECK-NOT: xf.cross_entropy %
