// RUN: dragoman-opt %s --verify-stage="stage=lowering" --split-input-file --verify-diagnostics

plan.kernel @k(%x: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?xf32> {xf.dims = ["N"]}) attributes {dims = ["N"], tiles = "N", schedule = #plan.schedule<"elementwise", {}>} {
  plan.yield %x : tensor<?xf32>
}

// What is written part by part is read as one; a loop writes an output row by
// row; what was written before a loop is there in every iteration.
plan.entry @parts(%x: tensor<?xf32> {xf.dims = ["16*N"], xf.name = "x"}) -> (tensor<?xf32> {xf.dims = ["32*N"], xf.name = "y"}) attributes {dims = ["N"], arena = "192*N"} {
  %x0 = plan.slot "input" {offset = "0", bytes = "64*N"} : !plan.slot
  %0 = plan.slot "arena" {offset = "0", bytes = "128*N"} : !plan.slot
  %1 = plan.slot "arena" {offset = "128*N", bytes = "64*N"} : !plan.slot
  %a = plan.part %0 {offset = "0", bytes = "64*N"} : !plan.slot
  %b = plan.part %0 {offset = "64*N", bytes = "64*N"} : !plan.slot
  %y = plan.slot "output" {offset = "0", bytes = "128*N"} : !plan.slot
  plan.dispatch @k(%x0, %b) dims ["16*N"] : (!plan.slot, !plan.slot) -> ()
  plan.dispatch @k(%x0, %a) dims ["16*N"] : (!plan.slot, !plan.slot) -> ()
  plan.fill %y, 0
  %c = plan.part %0 {offset = "32*N", bytes = "64*N"} : !plan.slot
  plan.copy %c to %1
  plan.loop "i" trips "N" : () -> () {
    %from = plan.part %0 {offset = "128*N - 128*i - 128", bytes = "128"} : !plan.slot
    %to = plan.part %y {offset = "128*i", bytes = "128"} : !plan.slot
    %u = plan.part %1 {offset = "64*i", bytes = "64"} : !plan.slot
    plan.dispatch @k(%0, %u) dims ["16"] : (!plan.slot, !plan.slot) -> ()
    plan.copy %1 to %b
    plan.next
  }
  plan.return
}

// -----

plan.kernel @k(%x: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?xf32> {xf.dims = ["N"]}) attributes {dims = ["N"], tiles = "N", schedule = #plan.schedule<"elementwise", {}>} {
  plan.yield %x : tensor<?xf32>
}
plan.entry @half(%x: tensor<?xf32> {xf.dims = ["16*N"], xf.name = "x"}) -> (tensor<?xf32> {xf.dims = ["32*N"], xf.name = "y"}) attributes {dims = ["N"], arena = "128*N"} {
  %x0 = plan.slot "input" {offset = "0", bytes = "64*N"} : !plan.slot
  %0 = plan.slot "arena" {offset = "0", bytes = "128*N"} : !plan.slot
  %a = plan.part %0 {offset = "0", bytes = "64*N"} : !plan.slot
  %y = plan.slot "output" {offset = "0", bytes = "128*N"} : !plan.slot
  plan.dispatch @k(%x0, %a) dims ["16*N"] : (!plan.slot, !plan.slot) -> ()
  // expected-error @+1 {{'plan.copy' op reads operand 0, which nothing has written}}
  plan.copy %0 to %y
  plan.return
}

// -----

plan.entry @outside(%x: tensor<?xf32> {xf.dims = ["16*N"], xf.name = "x"}) attributes {dims = ["N"], arena = "64*N"} {
  %0 = plan.slot "arena" {offset = "0", bytes = "64*N"} : !plan.slot
  plan.loop "i" trips "N" : () -> () {
    // expected-error @+1 {{'plan.part' op expected a part inside '64*N' bytes, found '64' bytes at '64*i + 4'}}
    %p = plan.part %0 {offset = "64*i + 4", bytes = "64"} : !plan.slot
    plan.next
  }
  plan.return
}

// -----

plan.kernel @k(%x: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?xf32> {xf.dims = ["N"]}) attributes {dims = ["N"], tiles = "N", schedule = #plan.schedule<"elementwise", {}>} {
  plan.yield %x : tensor<?xf32>
}
// The second iteration reads what the first has overwritten.
plan.entry @next_iteration(%x: tensor<?xf32> {xf.dims = ["16*N"], xf.name = "x"}) attributes {dims = ["N"], arena = "256*N"} {
  %0 = plan.slot "arena" {offset = "0", bytes = "128*N"} : !plan.slot
  %1 = plan.slot "arena" {offset = "128*N", bytes = "128*N"} : !plan.slot
  %2 = plan.slot "arena" {offset = "0", bytes = "64*N"} : !plan.slot
  plan.fill %0, 0
  plan.loop "i" trips "N" : () -> () {
    // expected-error @+1 {{'plan.dispatch' op reads operand 0, which was overwritten}}
    plan.dispatch @k(%0, %1) dims ["16*N"] : (!plan.slot, !plan.slot) -> ()
    // expected-note @+1 {{overwritten here}}
    plan.fill %2, 0
    plan.next
  }
  plan.return
}

// -----

// A loop may run no iteration.
plan.entry @no_iteration() attributes {dims = ["N"], arena = "128*N"} {
  %0 = plan.slot "arena" {offset = "0", bytes = "64*N"} : !plan.slot
  %1 = plan.slot "arena" {offset = "64*N", bytes = "64*N"} : !plan.slot
  plan.loop "i" trips "N" : () -> () {
    plan.fill %0, 0
    plan.next
  }
  // expected-error @+1 {{'plan.copy' op reads operand 0, which nothing has written}}
  plan.copy %0 to %1
  plan.return
}

// -----

plan.entry @loop_outside() attributes {dims = ["N"], arena = "0"} {
  // expected-error @+1 {{'plan.loop' op expected expressions in the entry's dimensions, found 'M' in '4*M'}}
  plan.loop "i" trips "4*M" : () -> () {
    plan.next
  }
  plan.return
}
