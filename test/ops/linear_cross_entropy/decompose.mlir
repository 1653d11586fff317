// RUN: dragoman-opt --verify-semantics --xf-decompose=ops=linear_cross_entropy %S/spec.mlir | FileCheck %s
// RUN: dragoman-opt --xf-decompose=ops=linear_cross_entropy --interpret %S/reference.mlir
// RUN: dragoman-opt --xf-decompose --interpret=wide %S/reference.mlir

// The decomposition is a loop over blocks of rows and gives the values of the
// reference.

// CHECK-LABEL: func.func @example
// CHECK: scf.for
// CHECK: xf.linear
// CHECK: xf.cross_entropy_grad
// CHECK-NOT: xf.linear_cross_entropy
