// RUN: dragoman-opt %s --verify-stage="stage=lowering" --split-input-file --verify-diagnostics

plan.kernel @k(%x: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?xf32> {xf.dims = ["N"]}) attributes {dims = ["N"], tiles = "N", schedule = #plan.schedule<"elementwise", {}>} {
  plan.yield %x : tensor<?xf32>
}

// Bytes may be used again once nothing reads them; right for all N.
plan.entry @reuse(%x: tensor<?xf32> {xf.dims = ["N"], xf.name = "x"}) -> (tensor<?xf32> {xf.dims = ["N"], xf.name = "y"}) attributes {dims = ["N", "M"], arena = "128*ceildiv(N,16) + 64*max(M,ceildiv(N,16))"} {
  %x0 = plan.slot "input" {offset = "0", bytes = "4*N"} : !plan.slot
  %0 = plan.slot "arena" {offset = "0", bytes = "4*N"} : !plan.slot
  %1 = plan.slot "arena" {offset = "64*ceildiv(N,16)", bytes = "4*N"} : !plan.slot
  %2 = plan.slot "arena" {offset = "128*ceildiv(N,16)", bytes = "4*N"} : !plan.slot
  %3 = plan.slot "arena" {offset = "128*ceildiv(N,16)", bytes = "64*M"} : !plan.slot
  %y0 = plan.slot "output" {offset = "0", bytes = "4*N"} : !plan.slot
  plan.dispatch @k(%x0, %0) dims ["N"] : (!plan.slot, !plan.slot) -> ()
  plan.dispatch @k(%0, %2) dims ["N"] : (!plan.slot, !plan.slot) -> ()
  plan.dispatch @k(%2, %1) dims ["N"] : (!plan.slot, !plan.slot) -> ()
  plan.fill %3, 0
  plan.dispatch @k(%1, %0) dims ["N"] : (!plan.slot, !plan.slot) -> ()
  plan.copy %0 to %y0
  plan.return
}

// -----

plan.kernel @k(%x: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?xf32> {xf.dims = ["N"]}) attributes {dims = ["N"], tiles = "N", schedule = #plan.schedule<"elementwise", {}>} {
  plan.yield %x : tensor<?xf32>
}
plan.entry @overwritten(%x: tensor<?xf32> {xf.dims = ["N"], xf.name = "x"}) attributes {dims = ["N"], arena = "128*N"} {
  %0 = plan.slot "input" {offset = "0", bytes = "4*N"} : !plan.slot
  %1 = plan.slot "arena" {offset = "0", bytes = "64*N"} : !plan.slot
  %2 = plan.slot "arena" {offset = "32*N", bytes = "64*N"} : !plan.slot
  %3 = plan.slot "arena" {offset = "64*N", bytes = "64*N"} : !plan.slot
  plan.dispatch @k(%0, %1) dims ["N"] : (!plan.slot, !plan.slot) -> ()
  // expected-note @+1 {{overwritten here}}
  plan.dispatch @k(%0, %2) dims ["N"] : (!plan.slot, !plan.slot) -> ()
  // expected-error @+1 {{'plan.dispatch' op reads operand 0, which was overwritten}}
  plan.dispatch @k(%1, %3) dims ["N"] : (!plan.slot, !plan.slot) -> ()
  plan.return
}

// -----

plan.entry @never_written() attributes {dims = ["N"], arena = "128*N"} {
  %0 = plan.slot "arena" {offset = "0", bytes = "64*N"} : !plan.slot
  %1 = plan.slot "arena" {offset = "64*N", bytes = "64*N"} : !plan.slot
  // expected-error @+1 {{'plan.copy' op reads operand 0, which nothing has written}}
  plan.copy %0 to %1
  plan.return
}

// -----

plan.kernel @k(%x: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?xf32> {xf.dims = ["N"]}) attributes {dims = ["N"], tiles = "N", schedule = #plan.schedule<"elementwise", {}>} {
  plan.yield %x : tensor<?xf32>
}
plan.entry @in_place() attributes {dims = ["N"], arena = "128*N"} {
  %0 = plan.slot "arena" {offset = "0", bytes = "64*N"} : !plan.slot
  plan.fill %0, 0
  // expected-error @+1 {{'plan.dispatch' op expected operand 1, which it writes, to overlap no other, found operand 0}}
  plan.dispatch @k(%0, %0) dims ["N"] : (!plan.slot, !plan.slot) -> ()
  plan.return
}

// -----

plan.entry @input_written(%x: tensor<?xf32> {xf.dims = ["N"], xf.name = "x"}) attributes {dims = ["N"], arena = "0"} {
  %0 = plan.slot "input" {offset = "0", bytes = "4*N"} : !plan.slot
  // expected-error @+1 {{'plan.fill' op writes operand 0, which is an input or a weight}}
  plan.fill %0, 0
  plan.return
}

// -----

// expected-error @+1 {{'plan.entry' op expected a command that writes output 1}}
plan.entry @output_missing() -> (tensor<?xf32> {xf.dims = ["N"], xf.name = "y"}, tensor<?xf32> {xf.dims = ["N"], xf.name = "z"}) attributes {dims = ["N"], arena = "0"} {
  %0 = plan.slot "output" {offset = "0", bytes = "4*N"} : !plan.slot
  plan.fill %0, 0
  plan.return
}

// -----

plan.entry @outside() attributes {dims = ["N"], arena = "60*N"} {
  // expected-error @+1 {{'plan.slot' op expected a place inside the arena of '60*N' bytes, found '4*N' bytes at '57*N'}}
  %0 = plan.slot "arena" {offset = "57*N", bytes = "4*N"} : !plan.slot
  plan.return
}

// -----

plan.entry @unknown_dimension() attributes {dims = ["N"], arena = "64*N"} {
  // expected-error @+1 {{'plan.slot' op expected expressions in the entry's dimensions, found 'd0' in '4*d0'}}
  %0 = plan.slot "arena" {offset = "0", bytes = "4*d0"} : !plan.slot
  plan.return
}
