// RUN: not dragoman-opt --xf-choose-stash="dims=N" %s 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: not dragoman-opt --xf-choose-stash="memory=4*M dims=N=2" %s 2>&1 | FileCheck %s --check-prefix=MEMORY

// DIMS: error: expected a size name=number in dims, found 'N'
// MEMORY: error: expected bytes as an expression in dims, found '4*M':
func.func @backward() {
  return
}
