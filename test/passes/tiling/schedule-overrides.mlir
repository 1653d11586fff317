// RUN: dragoman-opt %s --plan-schedule="overrides=linear.row_block=24,layer_norm.rows=7" | FileCheck %s
// RUN: not dragoman-opt %s --plan-schedule="overrides=linear.row_block=24,linear.columns=32" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not dragoman-opt %s --plan-schedule="overrides=linear.row_block=0" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not dragoman-opt %s --plan-schedule="overrides=linear.row_block=8,linear.row_block=9" 2>&1 | FileCheck %s --check-prefix=TWICE

// CHECK-LABEL: plan.kernel @linear
// CHECK-SAME: row_block = 24
// CHECK-SAME: tiles = "ceildiv(B,24)"
plan.kernel @linear(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}, %w: tensor<64x16xf32> {xf.dims = ["64", "16"]}) -> (tensor<?x64xf32> {xf.dims = ["B", "64"]}) attributes {dims = ["B"]} {
  %y = xf.linear %x, %w : (tensor<?x16xf32>, tensor<64x16xf32>) -> tensor<?x64xf32>
  plan.yield %y : tensor<?x64xf32>
}

// CHECK-LABEL: plan.kernel @norm
// CHECK-SAME: rows = 7
// CHECK-SAME: tiles = "ceildiv(B,7)"
plan.kernel @norm(%x: tensor<?x16xf32> {xf.dims = ["B", "16"]}) -> (tensor<?x16xf32> {xf.dims = ["B", "16"]}) attributes {dims = ["B"]} {
  %y = xf.layer_norm %x {eps = 1.0e-5 : f64} : (tensor<?x16xf32>) -> tensor<?x16xf32>
  plan.yield %y : tensor<?x16xf32>
}

// NAME: error: overrides of schedules: line 2: expected one of elementwise.elements, layer_norm.rows, linear.row_block, log_softmax.rows, rms_norm.rows, softmax.rows, found 'linear.columns'
// RANGE: error: overrides of schedules: line 1: expected linear.row_block of 1 or more, found '0'
// TWICE: error: overrides of schedules: line 2: expected linear.row_block once, found it again
