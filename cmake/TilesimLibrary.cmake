# One helper a kind of target. Warnings and the language level come from one
# interface target, never from global flags.

add_library(tilesim_options INTERFACE)
target_compile_features(tilesim_options INTERFACE cxx_std_20)
target_compile_options(tilesim_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror=return-type
  -Werror=switch)
# Two warnings of g++ 12 come from its optimiser, and are wrong wherever they are
# given here: inside absl::InlinedVector, whose empty ones have no elements to
# initialise, and of std::string's operator+ (GCC bugs 105562 and 105651).
# Uninitialised values are found by clang and by the sanitizers.
if(TILESIM_WERROR)
  target_compile_options(tilesim_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tilesim_options INTERFACE
    -Wno-maybe-uninitialized -Wno-restrict)
endif()
target_include_directories(tilesim_options INTERFACE ${PROJECT_SOURCE_DIR})
if(TILESIM_SANITIZE)
  # With what the library itself can say: an empty optional that is read is no
  # error of memory.
  target_compile_definitions(tilesim_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_compile_options(tilesim_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(tilesim_options INTERFACE -fsanitize=address,undefined)
endif()

# tilesim_cold(NAME): what runs once a command, or waits for files and people.
# Templates of it take the optimiser long and gain nothing.
function(tilesim_cold name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Ten files of a library at a time are one translation unit: the headers that all
# of them include are parsed once, and a clean build takes some 60 % of the
# time. What a file keeps to itself, in an unnamed namespace, then meets what its
# neighbours keep: tests/meta/own_names.py finds names that are taken twice.
# Without, each file is compiled on its own includes.
option(TILESIM_UNITY "compile ten files of a library at a time" ON)

# tilesim_unity(NAME [ALONE a.cc ...]). ALONE: files of one form, as the rows of
# one instruction family each, whose own names are alike; each is compiled alone.
function(tilesim_unity name)
  cmake_parse_arguments(ARG "" "" "ALONE" ${ARGN})
  set_target_properties(${name} PROPERTIES
    UNITY_BUILD ${TILESIM_UNITY} UNITY_BUILD_BATCH_SIZE 10)
  set_source_files_properties(${ARG_ALONE} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# tilesim_library(NAME [COLD] SRCS a.cc ... [ALONE b.cc ...] DEPS other ...)
# Headers are included from the repository root: "ir/op.h".
function(tilesim_library name)
  cmake_parse_arguments(ARG "COLD" "" "SRCS;ALONE;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS} ${ARG_ALONE})
  add_library(tilesim::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC tilesim_options ${ARG_DEPS})
  tilesim_unity(${name} ALONE ${ARG_ALONE})
  if(ARG_COLD)
    tilesim_cold(${name})
  endif()
endfunction()

# tilesim_test(NAME SRCS a_test.cc ... DEPS lib ...)
# Nothing where no tests are built. What tests spend their time in is the
# libraries: their own code is compiled in two thirds of the time at -O1.
function(tilesim_test name)
  if(NOT TILESIM_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest_main)
  # GTest's macros have a parameter `info` of their own, and rows of tables
  # leave out what is nought.
  target_compile_options(${name} PRIVATE
    -Wno-shadow -Wno-missing-field-initializers $<$<CONFIG:Release>:-O1>)
  tilesim_allocate_fast(${name})
  gtest_discover_tests(${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DISCOVERY_TIMEOUT 60)
endfunction()

# tilesim_benchmark(NAME SRCS a_bench.cc ... DEPS lib ...)
function(tilesim_benchmark name)
  if(NOT TILESIM_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} benchmark::benchmark_main)
  tilesim_allocate_fast(${name})
endfunction()
