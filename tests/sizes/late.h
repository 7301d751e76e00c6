// Random programs with open sizes whose mistakes bite late: after some laps of
// a ring, in a later tile, or only where one size is in step with another.
// Without a mistake they are right in all sizes.
#ifndef TILESIM_TESTS_SIZES_LATE_H_
#define TILESIM_TESTS_SIZES_LATE_H_

#include <cstdint>
#include <string>

namespace tilesim::checkers {

std::string LateProgram(uint64_t seed);

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_SIZES_LATE_H_
