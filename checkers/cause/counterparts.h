// Texts in which a place reads as its counterpart does, as far as what is told
// speaks for one: a tile is taken at the index of the barrier that was waited
// for, a `let` or the range of a loop is that of the same name elsewhere, a
// commit reaches the CTAs that loads do, a named barrier is entered for as many
// threads as elsewhere, a counter goes on by as many turns as a loop has.
// A comparison includes what it leaves out.
#ifndef TILESIM_CHECKERS_CAUSE_COUNTERPARTS_H_
#define TILESIM_CHECKERS_CAUSE_COUNTERPARTS_H_

#include <vector>

#include "checkers/cause/rewrites.h"

namespace tilesim::checkers::cause {

// Of ops at those places: tiles of an array at an index by which they, or an op
// before them in their block, name another array that is as long.
std::vector<Rewrite> OtherIndices(const machine::Code& code,
                                  const std::vector<ir::Span>& places);

// Commits that reach the CTAs of another mask of the text, or those of two.
std::vector<Rewrite> OtherMasks(const machine::Code& code);

// Named barriers at those places, for as many threads as another is entered.
std::vector<Rewrite> OtherCounts(const machine::Code& code,
                                 const std::vector<ir::Span>& places);

// A `let` as another one of its name is, in another block.
std::vector<Rewrite> OtherLets(const machine::Code& code);

// A loop from where, and to where, another one goes whose counter has the same
// name.
std::vector<Rewrite> OtherRanges(const machine::Code& code);

// A loop that waits for mbarriers, to where it would go without the `- 1` at
// its end, or one step further.
std::vector<Rewrite> OtherEnds(const machine::Code& code);

// A counter of the turns of two loops, `t * N + k`, with the trip count of the
// inner one.
std::vector<Rewrite> FlatCounters(const machine::Code& code);

// Branches and loops whose condition compares strictly where it does not, and
// the other way round.
std::vector<Rewrite> OtherComparisons(const machine::Code& code);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_COUNTERPARTS_H_
