// Random protocols: a few warps that arrive on, expect bytes of and wait for a
// few mbarriers, write to a few stages and fence that, as text.
#ifndef TILESIM_TESTS_AGREE_RANDOM_PROGRAM_H_
#define TILESIM_TESTS_AGREE_RANDOM_PROGRAM_H_

#include <cstdint>
#include <string>

namespace tilesim::checkers {

std::string RandomProgram(uint64_t seed);

// Besides: clusters of two CTAs that signal each other at every scope, threads
// that leave early, copies by lanes and in bulk, and lanes of a warp that touch
// each other's elements.
std::string RandomWideProgram(uint64_t seed);

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_AGREE_RANDOM_PROGRAM_H_
