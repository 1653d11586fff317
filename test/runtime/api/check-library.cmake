# cmake -DLIBRARY=libdragoman.so -DNM=nm -DSIZE=size -P check-library.cmake
# libdragoman.so exports dg_* and nothing else, needs no compiler library, and
# stays below 2 MB.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY}
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${symbols}")
set(count 0)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^.* " "" symbol "${line}")
  if(NOT symbol MATCHES "^dg_[a-z_]+$")
    message(SEND_ERROR "expected only dg_* to be exported, found '${symbol}'")
  endif()
  math(EXPR count "${count} + 1")
endforeach()
if(count LESS 20)
  message(SEND_ERROR "expected at least 20 exported functions, found ${count}")
endif()

execute_process(COMMAND ldd ${LIBRARY}
  OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
if(needed MATCHES "LLVM|MLIR|protobuf.so|onnx")
  message(SEND_ERROR "expected no compiler or importer library, found:\n${needed}")
endif()
if(NOT needed MATCHES "libc.so")
  message(SEND_ERROR "expected ldd to list libc, found:\n${needed}")
endif()

execute_process(COMMAND ${SIZE} ${LIBRARY}
  OUTPUT_VARIABLE sizes COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "\n *([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)" row "${sizes}")
math(EXPR total "${CMAKE_MATCH_1} + ${CMAKE_MATCH_2} + ${CMAKE_MATCH_3}")
if(NOT total LESS 2000000)
  message(SEND_ERROR "expected less than 2000000 bytes loaded, found ${total}")
endif()
if(NOT total GREATER 10000)
  message(SEND_ERROR "expected size to print the library's sections, found:\n${sizes}")
endif()
message(STATUS "${count} functions, ${total} bytes loaded")
