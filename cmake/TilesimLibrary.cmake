include(CMakeDependentOption)

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
  # With what the library itself can say: an empty optional that is read is no
  # error of memory.
  target_compile_definitions(tilesim_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_compile_options(tilesim_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(tilesim_options INTERFACE -fsanitize=address,undefined)
endif()

# A clean build spends most of its time on the headers that nearly every file
# includes: with this they are parsed once, and g++ reads the result. Without, and
# always with ccache, each file is compiled on its own includes, so that
# developers and CI see one that is missing, and a header that changes is no
# reason to compile all.
cmake_dependent_option(TILESIM_PCH "parse headers that most files include once"
  OFF "CMAKE_CXX_COMPILER_ID STREQUAL GNU;NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache;NOT TILESIM_SANITIZE"
  OFF)
set(tilesim_common_headers
  <algorithm> <array> <bit> <cmath> <cstdint> <functional> <iterator> <limits>
  <map> <memory> <numeric> <optional> <set> <span> <string> <string_view>
  <tuple> <utility> <vector>
  <absl/algorithm/container.h> <absl/container/flat_hash_map.h>
  <absl/container/flat_hash_set.h> <absl/container/inlined_vector.h>
  <absl/functional/function_ref.h> <absl/status/status.h>
  <absl/status/statusor.h> <absl/strings/str_cat.h> <fmt/format.h>
  "$<1:${PROJECT_SOURCE_DIR}/ir/bind.h>" "$<1:${PROJECT_SOURCE_DIR}/ir/cat.h>"
  "$<1:${PROJECT_SOURCE_DIR}/ir/effect.h>"
  "$<1:${PROJECT_SOURCE_DIR}/ir/eval.h>"
  "$<1:${PROJECT_SOURCE_DIR}/ir/program.h>"
  "$<1:${PROJECT_SOURCE_DIR}/sim/machine/machine.h>")

# tilesim_add_headers(NAME HEADERS...): headers for targets of one optimisation
# level; g++ 12 crashes where levels differ.
function(tilesim_add_headers name)
  set(source ${CMAKE_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE tilesim_options)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
if(TILESIM_PCH)
  # Warnings of g++ 12's optimiser that are wrong, and that it gives in headers
  # of the system, too, once they are precompiled.
  target_compile_options(tilesim_options INTERFACE
    -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
    -Wno-stringop-overflow -Wno-stringop-overread)
  tilesim_add_headers(tilesim_headers ${tilesim_common_headers})
  tilesim_add_headers(tilesim_cold_headers
    ${tilesim_common_headers} <nlohmann/json.hpp>)
  target_compile_options(tilesim_cold_headers PRIVATE
    $<$<CONFIG:Release>:-O1>)
endif()

# tilesim_cold(NAME): what runs once a command, or waits for files and people.
# Templates of it take the optimiser long and gain nothing.
function(tilesim_cold name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(TILESIM_PCH)
    target_precompile_headers(${name} REUSE_FROM tilesim_cold_headers)
  endif()
endfunction()

# tilesim_library(NAME [COLD] SRCS a.cc ... DEPS other ...)
# Headers are included from the repository root: "ir/op.h".
function(tilesim_library name)
  cmake_parse_arguments(ARG "COLD" "" "SRCS;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS})
  add_library(tilesim::${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC tilesim_options ${ARG_DEPS})
  if(ARG_COLD)
    tilesim_cold(${name})
  elseif(TILESIM_PCH)
    target_precompile_headers(${name} REUSE_FROM tilesim_headers)
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
