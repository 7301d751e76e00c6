# Makes a command that runs wherever the same or a newer glibc is: everything
# but glibc is linked into it.
#
#   tilesim_prefer_static_libraries()      # after the last find_package
#   tilesim_add_fmt()                      # the library tilesim_fmt
#   tilesim_link_statically(tilesim)       # for the command
#   tilesim_allocate_fast(tilesim)         # and for tests and benchmarks
#
# Debian's CMake files for Abseil and zlib name the shared libraries although
# the archives lie beside them; the first function points the imported targets
# at the archives. Debian has no libfmt.a: use tilesim_fmt, never fmt::fmt.
# tests/meta/static_binary.py judges the result.

function(tilesim_prefer_static_libraries)
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS imported)
    if(target MATCHES "^(absl::|ZLIB::)")
      tilesim_point_at_archive(${target})
    endif()
  endforeach()
endfunction()

function(tilesim_point_at_archive target)
  get_target_property(configs ${target} IMPORTED_CONFIGURATIONS)
  if(NOT configs)
    set(configs "")
  endif()
  list(TRANSFORM configs PREPEND "_")
  foreach(config IN LISTS configs ITEMS "")
    get_target_property(shared ${target} IMPORTED_LOCATION${config})
    if(shared MATCHES "\\.so[.0-9]*$")
      string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive ${shared})
      if(EXISTS ${archive})
        set_target_properties(${target} PROPERTIES
          IMPORTED_LOCATION${config} ${archive}
          IMPORTED_SONAME${config} "")
      endif()
    endif()
  endforeach()
endfunction()

# What libfmt.a would hold, compiled once: header-only, each file that formats
# compiles all of it again, which takes longer than most files of ours do.
# fmt.cc.in is of fmt 9; of another one the headers alone are used.
function(tilesim_add_fmt)
  if(NOT fmt_VERSION MATCHES "^9\\.")
    add_library(tilesim_fmt INTERFACE)
    target_link_libraries(tilesim_fmt INTERFACE fmt::fmt-header-only)
    return()
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/fmt.cc.in
    ${CMAKE_BINARY_DIR}/fmt.cc COPYONLY)
  add_library(tilesim_fmt STATIC ${CMAKE_BINARY_DIR}/fmt.cc)
  target_link_libraries(tilesim_fmt PUBLIC tilesim_options)
endfunction()

# isl has no CMake file; GMP is what it counts with.
find_library(TILESIM_ISL libisl.a REQUIRED)
find_library(TILESIM_GMP libgmp.a REQUIRED)

# jemalloc instead of glibc's malloc: a check makes many small objects, and
# takes a quarter less time. Under sanitizers their own allocator stays.
find_library(TILESIM_JEMALLOC libjemalloc_pic.a REQUIRED)
function(tilesim_allocate_fast target)
  if(NOT TILESIM_SANITIZE)
    target_link_libraries(${target} PRIVATE ${TILESIM_JEMALLOC} ${CMAKE_DL_LIBS}
      Threads::Threads m)
  endif()
endfunction()

function(tilesim_link_statically target)
  if(NOT TILESIM_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()
