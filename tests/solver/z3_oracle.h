// What Z3 says of a question to the solver. It is told the formulas, the
// products and the congruences of the problem, and none of the lemmas that the
// solver rests on.
#ifndef TILESIM_TESTS_SOLVER_Z3_ORACLE_H_
#define TILESIM_TESTS_SOLVER_Z3_ORACLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "checkers/solver/solver.h"

namespace tilesim::checkers::solver {

// `steps` of Z3's own count bound its work, so answers do not depend on how
// fast a machine is. kUnknown: they were not enough.
Point AskZ3(const Problem& problem, unsigned steps);

// The problem in Z3's own words, to try by hand.
std::string TextOf(const Problem& problem);

// What the integers violate of the problem, by plain evaluation; "": nothing.
// nullopt: beyond 64 bits.
std::optional<std::string> ViolatedBy(const Problem& problem,
                                      std::span<const int64_t> values);

}  // namespace tilesim::checkers::solver

#endif  // TILESIM_TESTS_SOLVER_Z3_ORACLE_H_
