// The numbers that CTAs draw, in all sizes. Of those that count in one word any
// may get any of as many numbers: so how many they are is all that sizes
// decide.
#ifndef TILESIM_CHECKERS_SIZES_PROTOCOL_TICKETS_H_
#define TILESIM_CHECKERS_SIZES_PROTOCOL_TICKETS_H_

#include <optional>
#include <vector>

#include "checkers/run/ticket.h"
#include "checkers/sizes/state/family.h"

namespace tilesim::checkers::sizes::protocol {

// How many CTAs count in each word. nullopt: not shown. It is where each index
// of the word is a number, or the CTA's position in one dimension of the grid,
// or in two, counted through, or its quotient or remainder by a scalar. `code`
// keeps its parameters.
std::optional<algebra::Polynomial> CountOf(const machine::Code& code,
                                           const run::TicketCounter& counter,
                                           const state::Family& family);

// Likewise in that of the operand.
std::optional<algebra::Polynomial> CountOf(const machine::Code& code,
                                           const machine::CompiledOperand& word,
                                           const state::Family& family);

// The family with the numbers that a cluster of it may draw: each by itself
// where there are as many in all sizes, else those at `at`, or any. Without a
// counter, as it is.
std::vector<state::Family> WithNumbers(
    const machine::Code& code, int64_t cluster, const state::Family& family,
    const std::optional<algebra::Polynomial>& at);

}  // namespace tilesim::checkers::sizes::protocol

#endif  // TILESIM_CHECKERS_SIZES_PROTOCOL_TICKETS_H_
