// What threads hand each other through global memory, iteration by iteration.
// Where in it an op works may be different in each, which is not followed. That
// matters only where some threads read what others may have written: iterations
// are alike there if they work at the same places, or if each has a place of
// its own, away from the one before.
#ifndef TILESIM_CHECKERS_SIZES_INDUCTION_EXCHANGE_H_
#define TILESIM_CHECKERS_SIZES_INDUCTION_EXCHANGE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "checkers/run/log.h"

namespace tilesim::checkers::sizes::induction {

// A tensor that [begin, end) both writes and reads, by different threads or by
// operations, neither where the iteration before, [before, begin), did nor in a
// place of its own.
std::optional<std::string> ExchangedOn(const run::Log& log, int32_t before,
                                       int32_t begin, int32_t end);

}  // namespace tilesim::checkers::sizes::induction

#endif  // TILESIM_CHECKERS_SIZES_INDUCTION_EXCHANGE_H_
