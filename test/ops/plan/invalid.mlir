// RUN: dragoman-opt %s --split-input-file --verify-diagnostics

// weight_c1
// expected-error@+1 {{'plan.weight' op expected a static tensor type, found 'tensor<?x4xf32>'}}
plan.weight @w : tensor<?x4xf32> {source = #plan.normal<1, 0.02>}

// -----

// weight_c2
// expected-error@+1 {{'plan.weight' op expected exactly one of source and derived}}
plan.weight @w : tensor<4xf32>

// -----

// weight_c3
// expected-error@+1 {{'plan.weight' op expected source to be #plan.file, #plan.normal, #plan.uniform, #plan.splat or #plan.sinusoid, found 7 : i64}}
plan.weight @w : tensor<4xf32> {source = 7 : i64}

// -----

// weight_c4
// expected-error@+1 {{'plan.weight' op expected a source of 16 bytes, found #plan.file<"w.bin", 0, 12>}}
plan.weight @w : tensor<4xf32> {source = #plan.file<"w.bin", 0, 12>}

// -----

// weight_c5_name
// expected-error@+1 {{'plan.weight' op expected layout rows or panel16, found columns}}
plan.weight @w : tensor<4xf32> {source = #plan.normal<1, 0.02>, layout = "columns"}

// -----

// weight_c5_matrix
// expected-error@+1 {{'plan.weight' op expected a matrix for layout panel16, found 'tensor<4xf32>'}}
plan.weight @w : tensor<4xf32> {source = #plan.normal<1, 0.02>, layout = "panel16"}

// -----

// weight_c6_floats
// expected-error@+1 {{'plan.weight' op expected floats for a source without file, found 'tensor<4xi32>'}}
plan.weight @w : tensor<4xi32> {source = #plan.uniform<1, 0.02>}

// -----

// weight_c6_columns
// expected-error@+1 {{'plan.weight' op expected a matrix of even columns for #plan.sinusoid, found 'tensor<4x3xf32>'}}
plan.weight @w : tensor<4x3xf32> {source = #plan.sinusoid<10000.0>}

// -----

// weight_c7
// expected-error@+1 {{'plan.weight' op expected decay of trainable weights only}}
plan.weight @w : tensor<4xf32> {source = #plan.splat<1.0>, decay}

// -----

// load_c1
func.func @load_c1() {
  // expected-error@+1 {{'plan.load' op expected the name of a plan.weight, found @nothing}}
  %w = plan.load @nothing : tensor<4xf32>
  return
}

// -----

// load_c2
plan.weight @w : tensor<4xf32> {source = #plan.normal<1, 0.02>}
func.func @load_c2() {
  // expected-error@+1 {{'plan.load' op expected the weight's type 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %w = plan.load @w : tensor<5xf32>
  return
}

// -----

// state_c1
// expected-error@+1 {{'plan.state' op expected one dimension expression per axis of 'tensor<?x4xf32>', found ["R"]}}
plan.state @s : tensor<?x4xf32> {dims = ["R"]}

// -----

// state_dims
// expected-error@+1 {{'plan.state' op dims: 'C+': column 3: expected a number, a name or '(', found the end}}
plan.state @s : tensor<?x4x?x8xf32> {dims = ["R", "4", "C+", "8"]}

// -----

// state_c2
// expected-error@+1 {{'plan.state' op expected layout rows or panel16, found columns}}
plan.state @s : tensor<?x4x?x8xf32> {dims = ["R", "4", "C", "8"], layout = "columns"}

// -----

// state_c3
// expected-error@+1 {{'plan.state' op expected row_axis and append_axis in 0..3, found 4}}
plan.state @s : tensor<?x4x?x8xf32> {dims = ["R", "4", "C", "8"], append_axis = 4}

// -----

// kernel_body
// expected-error@+1 {{'plan.kernel' op expected a body}}
plan.kernel @k() attributes {dims = []}

// -----

// kernel_c1
// expected-error@+1 {{'plan.kernel' op expected to end in plan.yield of the result types '(tensor<4xf32>) -> tensor<5xf32>'}}
plan.kernel @k(%x: tensor<4xf32>) -> tensor<5xf32> attributes {dims = []} {
  plan.yield %x : tensor<4xf32>
}

// -----

// kernel_c2
// expected-error@+1 {{'plan.kernel' op tiles: 'M +': column 4: expected a number, a name or '(', found the end}}
plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dims = [], tiles = "M +"} {
  plan.yield %x : tensor<4xf32>
}

// -----

// kernel_c3
// expected-error@+1 {{'plan.kernel' op expected scratch of 0 or more bytes, found -1}}
plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dims = [], scratch = -1} {
  plan.yield %x : tensor<4xf32>
}

// -----

// kernel_c4_tiles
// expected-error@+1 {{'plan.kernel' op expected sizes in dims ["N"], found '4*M'}}
plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dims = ["N"], tiles = "4*M"} {
  plan.yield %x : tensor<4xf32>
}

// -----

// kernel_c4_shape
// expected-error@+1 {{'plan.kernel' op expected sizes in dims ["N"], found 'd0'}}
plan.kernel @k(%x: tensor<?xf32> {xf.dims = ["N"]}) -> (tensor<?xf32> {xf.dims = ["d0"]}) attributes {dims = ["N"]} {
  plan.yield %x : tensor<?xf32>
}

// -----

// kernel_c5_number
// expected-error@+1 {{'plan.kernel' op expected plan.alias of result 0 to be the number of an argument of type 'tensor<4xf32>', found 1}}
plan.kernel @k(%x: tensor<4xf32>) -> (tensor<4xf32> {plan.alias = 1 : i64}) attributes {dims = []} {
  plan.yield %x : tensor<4xf32>
}

// -----

// kernel_c5_type
// expected-error@+1 {{'plan.kernel' op expected plan.alias of result 0 to be the number of an argument of type 'tensor<4xf32>', found 1}}
plan.kernel @k(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32> {plan.alias = 1 : i64}) attributes {dims = []} {
  plan.yield %x : tensor<4xf32>
}

// -----

// entry_c4
plan.state @s : tensor<4xf32> {dims = ["4"], append_axis = 0 : i64}
// expected-error@+1 {{'plan.entry' op expected one argument per state, found two for @s}}
plan.entry @e(%a: tensor<4xf32> {plan.state = @s}, %b: tensor<4xf32> {plan.state = @s}) attributes {dims = []} {
  plan.return
}

// -----

// entry_body
// expected-error@+1 {{'plan.entry' op expected a body}}
plan.entry @e() attributes {dims = []}

// -----

// entry_c1
// expected-error@+1 {{'plan.entry' op expected to end in plan.return}}
plan.entry @e(%x: tensor<4xf32>) attributes {dims = []} {
  func.return
}

// -----

// entry_c2
// expected-error@+1 {{'plan.entry' op expected plan.return of the result types '(tensor<4xf32>) -> tensor<5xf32>'}}
plan.entry @e(%x: tensor<4xf32>) -> tensor<5xf32> attributes {dims = []} {
  plan.return %x : tensor<4xf32>
}

// -----

// entry_c3
// expected-error@+1 {{'plan.entry' op arena: '64*': column 4: expected a number, a name or '(', found the end}}
plan.entry @e() attributes {dims = [], arena = "64*"} {
  plan.return
}

// -----

// dispatch_c1
plan.entry @e(%x: tensor<?xf32>) attributes {dims = ["B"]} {
  // expected-error@+1 {{'plan.dispatch' op expected the name of a plan.kernel, found @k}}
  %y = plan.dispatch @k(%x) dims ["B"] : (tensor<?xf32>) -> tensor<?xf32>
  plan.return
}

// -----

// dispatch_c2
plan.kernel @k(%x: tensor<?xf32>) -> tensor<?xf32> attributes {dims = ["M"]} {
  plan.yield %x : tensor<?xf32>
}
plan.entry @e(%x: tensor<?xf32>) attributes {dims = ["B"]} {
  // expected-error@+1 {{'plan.dispatch' op expected 1 dims as the kernel has, found 0}}
  %y = plan.dispatch @k(%x) dims [] : (tensor<?xf32>) -> tensor<?xf32>
  plan.return
}

// -----

// dispatch_dims
plan.kernel @k(%x: tensor<?xf32>) -> tensor<?xf32> attributes {dims = ["M"]} {
  plan.yield %x : tensor<?xf32>
}
plan.entry @e(%x: tensor<?xf32>) attributes {dims = ["B"]} {
  // expected-error@+1 {{'plan.dispatch' op dims: 'B B': column 3: expected an operator or the end, found 'B'}}
  %y = plan.dispatch @k(%x) dims ["B B"] : (tensor<?xf32>) -> tensor<?xf32>
  plan.return
}

// -----

// dispatch_c3
plan.kernel @k(%x: tensor<?xf32>) -> tensor<?xf32> attributes {dims = ["M"]} {
  plan.yield %x : tensor<?xf32>
}
plan.entry @e(%x: tensor<4xf32>) attributes {dims = []} {
  // expected-error@+1 {{'plan.dispatch' op expected the kernel's type '(tensor<?xf32>) -> tensor<?xf32>'}}
  %y = plan.dispatch @k(%x) dims ["4"] : (tensor<4xf32>) -> tensor<4xf32>
  plan.return
}

// -----

// slot_c1
plan.entry @e() attributes {dims = []} {
  // expected-error@+1 {{'plan.slot' op expected space input, output, state, weight or arena, found heap}}
  %s = plan.slot "heap" {offset = "0", bytes = "4"} : !plan.slot
  plan.return
}

// -----

// slot_c2
plan.entry @e() attributes {dims = []} {
  // expected-error@+1 {{'plan.slot' op expected a symbol exactly for states and weights}}
  %s = plan.slot "state" {offset = "0", bytes = "4"} : !plan.slot
  plan.return
}

// -----

// slot_offset
plan.entry @e() attributes {dims = []} {
  // expected-error@+1 {{'plan.slot' op offset: '(': column 2: expected a number, a name or '(', found the end}}
  %s = plan.slot "arena" {offset = "(", bytes = "4"} : !plan.slot
  plan.return
}

// -----

// slot_bytes
plan.entry @e() attributes {dims = []} {
  // expected-error@+1 {{'plan.slot' op bytes: ')': column 1: expected a number, a name or '(', found ')'}}
  %s = plan.slot "arena" {offset = "0", bytes = ")"} : !plan.slot
  plan.return
}

// -----

// part_c1
plan.entry @e() attributes {dims = ["N"], arena = "64*N"} {
  %0 = plan.slot "arena" {offset = "0", bytes = "64*N"} : !plan.slot
  %1 = plan.part %0 {offset = "4*N", bytes = "8*N"} : !plan.slot
  // expected-error@+1 {{'plan.part' op expected a part of a plan.slot, found one of a part}}
  %2 = plan.part %1 {offset = "0", bytes = "4*N"} : !plan.slot
  plan.return
}

// -----

// loop_c1
plan.entry @e() attributes {dims = ["N"], arena = "0"} {
  // expected-error@+1 {{'plan.loop' op expected the name of a dimension, found '2*i'}}
  plan.loop "2*i" trips "N" : () -> () {
    plan.next
  }
  plan.return
}

// -----

// loop_c2_entry
plan.entry @e() attributes {dims = ["N"], arena = "0"} {
  // expected-error@+1 {{'plan.loop' op expected a dimension of its own, found 'N', which is known outside}}
  plan.loop "N" trips "4" : () -> () {
    plan.next
  }
  plan.return
}

// -----

// loop_c2_loop
plan.entry @e() attributes {dims = ["N"], arena = "0"} {
  plan.loop "i" trips "N" : () -> () {
    // expected-error@+1 {{'plan.loop' op expected a dimension of its own, found 'i', which is known outside}}
    plan.loop "i" trips "4" : () -> () {
      plan.next
    }
    plan.next
  }
  plan.return
}

// -----

// loop_c3
plan.entry @e(%x: tensor<4xf32> {xf.dims = ["4"], xf.name = "x"}) attributes {dims = ["N"]} {
  // expected-error@+1 {{'plan.loop' op expected a body of arguments 'index', 'tensor<4xf32>', found 'tensor<4xf32>'}}
  %y = plan.loop "i" trips "N" inits(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    plan.next %a : tensor<4xf32>
  }
  plan.return
}

// -----

// loop_c4
plan.entry @e(%x: tensor<4xf32> {xf.dims = ["4"], xf.name = "x"}) attributes {dims = ["N"]} {
  // expected-error@+1 {{'plan.loop' op expected results and plan.next of the inits' types}}
  %y = plan.loop "i" trips "N" inits(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: index, %a: tensor<4xf32>):
    plan.next
  }
  plan.return
}
