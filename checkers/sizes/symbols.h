// What the symbols of families stand for: each has a number, and the numbers of
// a kind are together. Those below all of these are parameters, by index.
#ifndef TILESIM_CHECKERS_SIZES_SYMBOLS_H_
#define TILESIM_CHECKERS_SIZES_SYMBOLS_H_

#include "checkers/sizes/polynomial.h"

namespace tilesim::checkers::sizes {

// Where clusters are: in the dimensions of the grid, and then in the order in
// which they draw their numbers.
constexpr int kTicketDim = 3;

// How many clusters cluster launch control hands out to one.
constexpr Symbol kHandedOut = 400;
// Two parameters that count by their product.
constexpr Symbol kFactors = 500;
// Clusters that are told apart, by dimension.
constexpr Symbol kPositions = 600;
// What is left where a number is counted in steps.
constexpr Symbol kRests = 700;
// Parameters that decide nothing but how large the grid is, by index.
constexpr Symbol kLoose = 800;
// Clusters that are not told apart, by dimension.
constexpr Symbol kAnywhere = 1'000;
// Made up in the course of a run: iterations that are done, and that are left.
constexpr Symbol kFreshSymbols = 2'000;
// By how many steps parameters, by index, are above their lowest values, where
// there is no size cell yet.
constexpr Symbol kSteps = 100'000;
// Numbers that no polynomial says.
constexpr Symbol kOpaque = kSteps + 10'000;

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_SYMBOLS_H_
