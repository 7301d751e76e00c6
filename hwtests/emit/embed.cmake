# Files as one C++ string: cmake -DOUT=... -DFUNCTION=... -DHEADER=...
# -DFILES=a;b -P
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} part)
  string(APPEND text "${part}\n")
endforeach()
file(WRITE ${OUT} "// Generated from hwtests/emit/*/*.cuh.
#include \"${HEADER}\"

namespace tilesim::hwtests {

std::string_view ${FUNCTION}() {
  return R\"embedded(${text})embedded\";
}

}  // namespace tilesim::hwtests
")
