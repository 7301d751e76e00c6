// What the symbols of families stand for: each has a number, and the numbers of
// a kind are together. Those below all of these are parameters, by index.
#ifndef TILESIM_CHECKERS_SIZES_STATE_SYMBOLS_H_
#define TILESIM_CHECKERS_SIZES_STATE_SYMBOLS_H_

#include "checkers/sizes/algebra/polynomial.h"

namespace tilesim::checkers::sizes::state {

// Where clusters are: in the dimensions of the grid, and then in the order in
// which they draw their numbers.
constexpr int kTicketDim = 3;

// How many clusters cluster launch control hands out to one.
constexpr algebra::Symbol kHandedOut = 400;
// Two parameters that count by their product.
constexpr algebra::Symbol kFactors = 500;
// Clusters that are told apart, by dimension.
constexpr algebra::Symbol kPositions = 600;
// What is left where a number is counted in steps.
constexpr algebra::Symbol kRests = 700;
// Parameters that decide nothing but how large the grid is, by index.
constexpr algebra::Symbol kLoose = 800;
// Iterations of an idle loop that are done, and that are left but for one.
constexpr algebra::Symbol kIdle = 900;
// Clusters that are not told apart, by dimension.
constexpr algebra::Symbol kAnywhere = 1'000;
// Made up in the course of a run: iterations that are done, and that are left.
constexpr algebra::Symbol kFreshSymbols = 2'000;
// By how many steps parameters, by index, are above their lowest values, where
// there is no size cell yet.
constexpr algebra::Symbol kSteps = 100'000;
// Numbers that no polynomial says.
constexpr algebra::Symbol kOpaque = kSteps + 10'000;

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_SYMBOLS_H_
