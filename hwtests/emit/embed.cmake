# Joins the device header into one C++ string: cmake -DOUT=... -DFILES=a;b -P
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} part)
  string(APPEND text "${part}\n")
endforeach()
file(WRITE ${OUT} "// Generated from hwtests/emit/device/*.cuh.
#include \"hwtests/emit/device_header.h\"

namespace tilesim::hwtests {

std::string_view DeviceHeader() {
  return R\"device_header(${text})device_header\";
}

}  // namespace tilesim::hwtests
")
