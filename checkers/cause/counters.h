// Counters by which loops choose slots and parities: texts in which one goes on
// that starts again, or stays what it is.
#ifndef TILESIM_CHECKERS_CAUSE_COUNTERS_H_
#define TILESIM_CHECKERS_CAUSE_COUNTERS_H_

#include <vector>

#include "checkers/cause/rewrites.h"

namespace tilesim::checkers::cause {

// Counters that start again with each turn of a loop, set once before it.
std::vector<Rewrite> CountersGoOn(const machine::Code& code);

// Variables that a loop with barriers reads and never advances, advanced by one
// in each of its turns: of inner loops first.
std::vector<Rewrite> CountersAdvance(const machine::Code& code);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_COUNTERS_H_
