// What threads hand each other through global memory, repeat by repeat. Where
// in it an op works may be different in each, which a walk does not follow.
#ifndef TILESIM_CHECKERS_SIZES_EXCHANGE_H_
#define TILESIM_CHECKERS_SIZES_EXCHANGE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "checkers/run/log.h"

namespace tilesim::checkers::sizes {

// A tensor that [begin, end) both writes and reads, by different threads or by
// operations, neither where the repeat before, [before, begin), did nor in a
// place of its own.
std::optional<std::string> ExchangedOn(const run::Log& log, int32_t before,
                                       int32_t begin, int32_t end);

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_EXCHANGE_H_
