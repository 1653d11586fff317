// RUN: not dragoman-opt %s --verify-stage="stage=tile" 2>&1 | FileCheck %s
// CHECK: error: expected a stage of import, graph, autodiff, fusion, tiling, lowering, found 'tile'
