// How often a loop from 0 goes around, in one way for the many in which that is
// written. What is not positive is no iteration at all:
//
//   max(cdiv(n, 64), 0)   cdiv(max(n, 0), 64)   (n + 63) / 64
//   n > 0 ? cdiv(n, 64) : 0                                     cdiv(n, 64)
#ifndef TILESIM_CHECKERS_SIZES_PARTITION_TRIP_COUNT_H_
#define TILESIM_CHECKERS_SIZES_PARTITION_TRIP_COUNT_H_

#include "ir/expr.h"

namespace tilesim::checkers::sizes::partition {

// Of an end, whose divisors are at least 1 (docs/all_sizes.md 3.11).
ir::Expr TripCount(ir::Expr end);

}  // namespace tilesim::checkers::sizes::partition

#endif  // TILESIM_CHECKERS_SIZES_PARTITION_TRIP_COUNT_H_
