// The same model gives the same bytes, code and weights included.
// RUN: dragoman-opt %s --dsl-make-transformer="vocab=40 d-model=16 heads=2 ffn=16 encoder-layers=1 decoder-layers=1 max-positions=8" -o %t.mlir
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: dragoman compile %t.mlir -o %t.dir/one.dgm --cpu x86-64-v3
// RUN: dragoman compile %t.mlir -o %t.dir/two.dgm --cpu x86-64-v3
// RUN: cmp %t.dir/one.dgm %t.dir/two.dgm
