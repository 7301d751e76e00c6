// The numbers that CTAs draw, in all sizes.
#ifndef TILESIM_CHECKERS_SIZES_TICKETS_H_
#define TILESIM_CHECKERS_SIZES_TICKETS_H_

#include <optional>
#include <vector>

#include "checkers/run/ticket.h"
#include "checkers/sizes/family.h"

namespace tilesim::checkers::sizes {

// How many CTAs count in each word. nullopt: not shown. It is where each index
// of the word is a number, or the CTA's position in one dimension of the grid,
// or in two, counted through. `code` keeps its parameters.
std::optional<Polynomial> CountOf(const machine::Code& code,
                                  const run::TicketCounter& counter,
                                  const Family& family);

// The family with the numbers that a cluster of it may draw: each by itself
// where there are as many in all sizes, else those at `at`, or any. Without a
// counter, as it is.
std::vector<Family> WithNumbers(const machine::Code& code, int64_t cluster,
                                const Family& family,
                                const std::optional<Polynomial>& at);

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_TICKETS_H_
