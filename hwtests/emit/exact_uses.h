// Of which scalars more matters than the low 32 bits. A flag that is polled, or
// a word that is stored again, may be an `int`, though an unsigned word does
// not fit one.
#ifndef TILESIM_HWTESTS_EMIT_EXACT_USES_H_
#define TILESIM_HWTESTS_EMIT_EXACT_USES_H_

#include <cstdint>
#include <set>

#include "ir/program.h"

namespace tilesim::hwtests {

// Slots of scalars that are used otherwise than compared with a literal for
// being equal, asked whether they are 0, or stored to a word of 32 bits at
// most. For numbers from 0 to 2^32 - 1.
std::set<int32_t> ExactUses(const ir::Kernel& kernel);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_EXACT_USES_H_
