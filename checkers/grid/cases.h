// Results that one op stores at some sizes and another at the others:
//
//   if S == 1 { st.global D[..], v } else { .. if last { st.global D[..], v } }
//
// Each store is asked about where it is made.
#ifndef TILESIM_CHECKERS_GRID_CASES_H_
#define TILESIM_CHECKERS_GRID_CASES_H_

#include <cstdint>

#include "checkers/grid/accesses.h"
#include "checkers/grid/words.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::grid {

// As StoresAll (coverage.h), at all sizes at once or where a condition of sizes
// holds and where it does not.
bool StoresAllInCases(const Accesses& accesses, const machine::Code& code,
                      const Words& words, int32_t decl);

}  // namespace tilesim::checkers::grid

#endif  // TILESIM_CHECKERS_GRID_CASES_H_
