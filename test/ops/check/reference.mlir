// RUN: dragoman-opt --interpret %s

plan.site 1, "node_a", "id {value} at {index} is not below {bound}"

func.func @passes() {
  %c = arith.constant dense<true> : tensor<3xi1>
  xf.check %c {site = 1} : (tensor<3xi1>) -> ()
  return
}

func.func @first_index() attributes {check.fails = "id 9 at 1 is not below 4"} {
  %c = arith.constant dense<[true, false, false]> : tensor<3xi1>
  %v = arith.constant dense<[1, 9, 8]> : tensor<3xi64>
  %b = arith.constant dense<4> : tensor<i64>
  xf.check %c value %v bound %b {site = 1} : (tensor<3xi1>, tensor<3xi64>, tensor<i64>) -> ()
  return
}

// The record of the lowest site stays, whatever the order.
func.func @lowest_site() attributes {check.fails = "id 0 at 0 is not below 0"} {
  %c = arith.constant dense<false> : tensor<i1>
  xf.check %c {site = 2} : (tensor<i1>) -> ()
  xf.check %c {site = 1} : (tensor<i1>) -> ()
  return
}
