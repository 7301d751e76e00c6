// Not built: CMakeLists.txt beside it compiles this file with listed codes and
// with others, and expects the compiler to refuse these.
//
//   -DASSIGNED="race/war" -DCOMPARED="race/raw"
#include "ir/code.h"

namespace tilesim {

ir::Code Assigned() { return ASSIGNED; }
bool IsCompared(ir::Code code) { return code == COMPARED; }

}  // namespace tilesim
