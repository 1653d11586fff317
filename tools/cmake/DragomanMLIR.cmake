# Finds LLVM/MLIR 22.1 and defines the helpers for libraries that use it.
# Only the shared libraries libMLIR and libLLVM are linked: mixing in the static
# archives would put two copies of MLIR into one process.
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(dragoman_mlir INTERFACE)
target_include_directories(dragoman_mlir SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(dragoman_mlir INTERFACE dragoman_options MLIR LLVM)

# One precompiled header for all libraries below.
option(DRAGOMAN_PRECOMPILE "Precompile MLIR's headers" ON)
if(DRAGOMAN_PRECOMPILE)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "// Holds the precompiled header.\n")
  add_library(dragoman_mlir_precompiled STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(dragoman_mlir_precompiled PUBLIC dragoman_mlir)
  target_precompile_headers(dragoman_mlir_precompiled PRIVATE
    ${CMAKE_SOURCE_DIR}/compiler/Pch.h)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # The compiler cache compares contents.
    target_compile_options(dragoman_mlir_precompiled PRIVATE
      "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

# dragoman_mlir_library(NAME SOURCES a.cpp ... [LINK lib ...] [DEPENDS target ...])
function(dragoman_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC dragoman_mlir ${ARG_LINK})
  if(DRAGOMAN_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM dragoman_mlir_precompiled)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# dragoman_tablegen(TARGET ROOT.td OUT GENERATOR... [OUT GENERATOR...])
# runs mlir-tblgen for each (output, "generator options") pair of the root file.
function(dragoman_tablegen target root)
  set(LLVM_TARGET_DEFINITIONS ${root})
  list(LENGTH ARGN count)
  math(EXPR last "${count} - 1")
  foreach(i RANGE 0 ${last} 2)
    math(EXPR j "${i} + 1")
    list(GET ARGN ${i} output)
    list(GET ARGN ${j} options)
    separate_arguments(options)
    get_filename_component(folder ${CMAKE_CURRENT_BINARY_DIR}/${output} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    mlir_tablegen(${output} ${options})
  endforeach()
  add_public_tablegen_target(${target})
endfunction()

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
