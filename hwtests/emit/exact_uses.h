// Of which scalars more matters than the low 32 bits. A flag that is polled, or
// a word that is stored again, may be an `int`, though an unsigned word does
// not fit one.
#ifndef TILESIM_HWTESTS_EMIT_EXACT_USES_H_
#define TILESIM_HWTESTS_EMIT_EXACT_USES_H_

#include <cstdint>
#include <set>

#include "hwtests/emit/counted.h"
#include "ir/program.h"

namespace tilesim::hwtests {

// Slots of scalars that are used otherwise than compared for being equal with
// what fits an `int` and is not below 0, asked whether they are 0, or stored to
// a word of 32 bits at most. For numbers from 0 to 2^32 - 1.
std::set<int32_t> ExactUses(const ir::Kernel& kernel, const RangeFn& range);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_EXACT_USES_H_
