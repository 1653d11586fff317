// No pass moves a value: the whole way of small translators is evaluated behind
// every pass.
// RUN: dragoman-opt %s --dsl-make-transformer="vocab=30 d-model=16 heads=2 ffn=24 encoder-layers=2 decoder-layers=2 max-positions=40" | dragoman-opt --verify-semantics --dragoman-compile -o %t
// RUN: dragoman-opt %s --dsl-make-transformer="vocab=30 d-model=16 heads=2 ffn=24 encoder-layers=1 decoder-layers=1 max-positions=40 pre-norm=1 activation=gelu tied=0 biases=0" | dragoman-opt --verify-semantics --seed=2 --dragoman-compile -o %t
