// Names that no kernel can have: C functions that CUDA or the C library
// declares.
#ifndef TILESIM_HWTESTS_EMIT_C_FUNCTIONS_H_
#define TILESIM_HWTESTS_EMIT_C_FUNCTIONS_H_

#include <string_view>

namespace tilesim::hwtests {

// Of a name that is not empty.
bool IsCFunction(std::string_view name);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_C_FUNCTIONS_H_
