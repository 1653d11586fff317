// RUN: dragoman-opt %s --dsl-make-transformer="training=1 vocab=7 d-model=4 heads=2 ffn=4 encoder-layers=1 decoder-layers=1 max-positions=8 pad=1 start=1 end=2 label-smoothing=0.1 activation=gelu" --xf-differentiate -o %t
// RUN: sed 's/func.func @\(encode\|prepare\|decode\|select\|backward\|update\|step\|average\)(/func.func private @\1(/; s/{xf.name = "\(nll\|correct\)"}/{check.fixed, xf.name = "\1"}/g' %t | dragoman-opt --check-gradients
// RUN: dragoman-opt %s --dsl-make-transformer="training=1 vocab=7 d-model=4 heads=2 ffn=4 encoder-layers=1 decoder-layers=1 max-positions=8 pad=0 start=2 end=1 learned-positions=1 tied=0 pre-norm=1 activation=silu biases=0" --xf-differentiate -o %t
// RUN: sed 's/func.func @\(encode\|prepare\|decode\|select\|backward\|update\|step\|average\)(/func.func private @\1(/; s/{xf.name = "\(nll\|correct\)"}/{check.fixed, xf.name = "\1"}/g' %t | dragoman-opt --check-gradients

// The gradient of a whole translator's loss: masked keys, causal attention, one
// table for three uses, padding, smoothing.
