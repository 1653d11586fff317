# One helper per kind of target, so that flags and link rights stand in one place.

add_library(dragoman_options INTERFACE)
target_include_directories(dragoman_options INTERFACE
  ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/include)
target_compile_options(dragoman_options INTERFACE
  -ffp-contract=off -Wall -Wextra -Wno-unused-parameter
  # libstdc++ 12's own std::stable_sort uses a deprecated function.
  -Wno-deprecated-declarations
  $<$<BOOL:${DRAGOMAN_WERROR}>:-Werror>)
if(DRAGOMAN_SANITIZE)
  target_compile_options(dragoman_options INTERFACE
    -fsanitize=${DRAGOMAN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(dragoman_options INTERFACE -fsanitize=${DRAGOMAN_SANITIZE})
endif()

# dragoman_library(NAME SOURCES a.cpp ... [LINK lib ...])
# A static, position-independent library without LLVM: runtime and its friends.
function(dragoman_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC dragoman_options ${ARG_LINK})
endfunction()

# dragoman_test(NAME SOURCES a.cpp ... [LINK lib ...] [ARGS arg ...])
# A GoogleTest program that is one ctest test. Test data is found through the
# macro DRAGOMAN_SOURCE_DIR; temporary files go below testing::TempDir().
function(dragoman_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;ARGS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE dragoman_options ${ARG_LINK}
    GTest::gtest GTest::gmock GTest::gtest_main Threads::Threads)
  target_compile_definitions(${name} PRIVATE
    DRAGOMAN_SOURCE_DIR="${CMAKE_SOURCE_DIR}" DRAGOMAN_BINARY_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGS})
endfunction()
