// A module printed behind any stage is read back and goes on to the same end;
// two compilations give the same text.
// RUN: dragoman-opt %s --dsl-make-transformer="vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=2 decoder-layers=2" > %t.import
// RUN: dragoman-opt %t.import --dragoman-compile > %t.end
// RUN: dragoman-opt %t.import --dragoman-compile | cmp - %t.end
// RUN: dragoman-opt %t.import --dragoman-compile="stop-after=graph" > %t.graph
// RUN: dragoman-opt %t.graph --dragoman-compile="start-from=graph" | cmp - %t.end
// RUN: dragoman-opt %t.import --dragoman-compile="stop-after=fusion" > %t.fusion
// RUN: dragoman-opt %t.fusion --dragoman-compile="start-from=fusion" | cmp - %t.end
// RUN: dragoman-opt %t.import --dragoman-compile="stop-after=tiling" > %t.tiling
// RUN: dragoman-opt %t.tiling --dragoman-compile="start-from=tiling" | cmp - %t.end
// RUN: FileCheck %s < %t.end

// Layers share kernels: the linear layers of two encoder and two decoder layers
// have six shapes.
// CHECK-COUNT-6: plan.kernel @linear_
// CHECK-NOT: plan.kernel @linear_

// Pre-norm, SiLU and models without biases take the same way.
// RUN: dragoman-opt %s --dsl-make-transformer="vocab=100 d-model=32 heads=2 ffn=64 encoder-layers=1 decoder-layers=1 pre-norm=1 tied=0 biases=0 activation=silu" --dragoman-compile | FileCheck %s --check-prefix=PRE
// PRE-LABEL: plan.entry @decode
// PRE-SAME: arena = "
// PRE: plan.return
// PRE-NEXT: }
