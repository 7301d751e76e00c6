# Writes the commit of the working tree DIR into OUT, a header that defines
# TILESIM_COMMIT: " (0123456789ab)", or "" where DIR is no git repository. A file
# that says so already is left as it is.
execute_process(
  COMMAND git -C ${DIR} rev-parse --show-toplevel --short=12 HEAD
  OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  RESULT_VARIABLE failed)
set(commit "")
if(NOT failed)
  string(REPLACE "\n" ";" said "${said}")
  list(GET said 0 top)
  list(GET said 1 head)
  # An unpacked tarball may lie in another repository.
  file(REAL_PATH ${DIR} here)
  if(top STREQUAL here)
    set(commit " (${head})")
  endif()
endif()
set(text "#define TILESIM_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
