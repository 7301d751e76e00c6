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
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(tilesim_options INTERFACE
      -Wno-maybe-uninitialized -Wno-restrict)
  endif()
endif()
target_include_directories(tilesim_options INTERFACE ${PROJECT_SOURCE_DIR})
if(TILESIM_SANITIZE)
  target_compile_options(tilesim_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(tilesim_options INTERFACE -fsanitize=address,undefined)
endif()

# tilesim_library(NAME SRCS a.cc ... DEPS other ...)
# Headers are included from the repository root: "ir/op.h".
function(tilesim_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS})
  add_library(tilesim::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC tilesim_options ${ARG_DEPS})
endfunction()

# tilesim_test(NAME SRCS a_test.cc ... DEPS lib ...)
# Nothing where no tests are built.
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
    -Wno-shadow -Wno-missing-field-initializers)
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
